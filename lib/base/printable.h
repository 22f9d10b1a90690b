/*
 * printable - which bytes of a name may be sent to a terminal unchanged.
 *
 *     size_t n = printable_length("\033[2J");    // 0: an escape; 1 for "a", 2 for "\xc3\xa9" (an e with an accent)
 *     printf("%zu\n", n);
 *
 * A trace may contain any bytes.  Control characters (ASCII, or the C1 set encoded in UTF-8) can control a terminal,
 * and so can bytes that are not UTF-8 if the terminal takes them for C1.  Characters that are not seen, or that turn
 * the order of those around them, make one name look like another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the character at s, in a NUL-terminated text; 0 for a control character, one that hides, or invalid
 * UTF-8. */
size_t printable_length(const char *s);

/* No character is longer. */
enum { PRINTABLE_LONGEST = 4 };

/* The same, but every character of UTF-8 has a length. */
size_t printable_utf8(const char *s);

/* The code point of a character that is n bytes long. */
uint32_t printable_code(const char *s, size_t n);

/* Is it invisible, or does it change the order of what is around it? */
bool printable_hides(uint32_t code);

/* Write a byte as \xNN; returns the end, at which a NUL is. */
enum { PRINTABLE_BYTE = 4 };
char *printable_byte(char *to, char c);

/* A copy with what is not printable as \xNN, which the caller frees. */
char *printable_copy(const char *s);
