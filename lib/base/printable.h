/*
 * printable - which bytes of a name may be sent to a terminal unchanged.
 *
 *     size_t n = printable_length("\033[2J");    // 0: an escape; 1 for "a", 2 for "\xc3\xa9" (an e with an accent)
 *     printf("%zu\n", n);
 *
 * A trace may contain any bytes.  Control characters (ASCII, or the C1 set encoded in UTF-8) can control a terminal,
 * and so can bytes that are not UTF-8 if the terminal takes them for C1.  Characters that are invisible, or that
 * reorder the text around them, can make one name look like another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in bytes of the character at s, in a NUL-terminated text; 0 for a control character, invalid UTF-8, or a
 * character for which printable_hides is true. */
size_t printable_length(const char *s);

/* The most bytes of a character. */
enum { PRINTABLE_LONGEST = 4 };

/* The length in bytes of the character at s, printable or not; 0 for invalid UTF-8. */
size_t printable_utf8(const char *s);

/* The code point of a character that is n bytes long. */
uint32_t printable_code(const char *s, size_t n);

/* Is the character invisible, or does it reorder the text around it? */
bool printable_hides(uint32_t code);

/* Write a byte as \xNN and a NUL.  Returns the position of the NUL. */
enum { PRINTABLE_BYTE = 4 };    /* the length of \xNN */
char *printable_write_byte(char *to, char c);

/* A copy in which unprintable bytes are written as \xNN.  The caller frees it. */
char *printable_copy(const char *s);
