/*
 * name_numbers - the number that counts up in a series of names: 12, 13 ... in "step 12 of 100", "step 13 of 100" ...
 *
 *     const char *names[] = { "step 12 of 100", "step 13 of 100" };
 *     int64_t number[2];
 *     if (name_numbers(names, 2, number))
 *         printf("%lld %lld\n", (long long)number[0], (long long)number[1]);       // 12 13
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find in each of n names the number that rises from each name to the next; number[i] gets that of names[i].  If
 * several numbers rise, the first is taken.  False: there is one name or none, the names differ in more than digits, or
 * none of their first 16 numbers rises. */
bool name_numbers(const char *const *names, size_t n, int64_t *number);
