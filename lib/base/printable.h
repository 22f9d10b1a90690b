/*
 * visible - which bytes of a name may reach a terminal as they are.
 *
 *     size_t n = visible_length(s);    // 2 for "é...", 0 for an escape or a broken byte
 *     n ? fwrite(s, 1, n, stderr) : fprintf(stderr, "\\x%02x", (unsigned char)*s);
 *
 * A trace may hold any bytes.  Control characters, in ASCII or as the C1 set in
 * UTF-8, can drive a terminal, and so can bytes that are not UTF-8 where the
 * terminal takes them for C1.
 */
#ifndef VISIBLE_H
#define VISIBLE_H

#include <stddef.h>

/* Length of the character at s, which ends with a NUL; 0 when it is a control character or no UTF-8. */
size_t visible_length(const char *s);

/* Length of the UTF-8 character at s, control characters included; 0 when it is not UTF-8. */
size_t visible_utf8(const char *s);

#endif
