/*
 * name_numbers - the number that counts up in some names: 12, 13, 14 in "step 12 of 100", "step 13 of 100" and so on.
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

/* The names must be equal but for their digits, and there must be two of them.  Of several numbers in a name, the first
 * that is larger in each name than in the one before counts; false: none is. */
bool name_numbers(const char *const *names, size_t n, int64_t *number);
