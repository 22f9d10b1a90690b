/*
 * printable - which bytes of a name may reach a terminal as they are.
 *
 *     size_t n = printable_length("\033[2J");    // 0: an escape; 1 for "a", 2 for "\xc3\xa9" (an e with an accent)
 *     printf("%zu\n", n);
 *
 * A trace may hold any bytes.  Control characters, in ASCII or as the C1 set in
 * UTF-8, can drive a terminal, and so can bytes that are not UTF-8 where the
 * terminal takes them for C1.
 */
#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stddef.h>

/* Length of the character at s, a text that ends with a NUL; 0 for a control character or what is not UTF-8. */
size_t printable_length(const char *s);

/* The same, but control characters count as characters. */
size_t printable_utf8(const char *s);

#endif
