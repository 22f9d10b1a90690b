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

/* Find the number of each of n names, at least two, which are equal except for their digits.  If the names have several
 * numbers, the first that rises from each name to the next is taken.  False: none does. */
bool name_numbers(const char *const *names, size_t n, int64_t *number);
