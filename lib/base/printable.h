/*
 * printable - which bytes of a name may be sent to a terminal unchanged.
 *
 *     size_t n = printable_length("\033[2J");    // 0: an escape; 1 for "a", 2 for "\xc3\xa9" (an e with an accent)
 *     printf("%zu\n", n);
 *
 * A trace may contain any bytes.  Control characters (ASCII, or the C1 set encoded
 * in UTF-8) can control a terminal, and so can bytes that are not UTF-8 if the
 * terminal takes them for C1.
 */
#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stddef.h>

/* Length of the character at s, in a NUL-terminated text; 0 for a control character or invalid UTF-8. */
size_t printable_length(const char *s);

/* The same, but control characters have a length too. */
size_t printable_utf8(const char *s);

#endif
