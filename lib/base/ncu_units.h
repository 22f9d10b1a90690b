/*
 * ncu_units - numbers and units as Nsight Compute writes them.
 *
 *     double v;
 *     if (ncu_number("1,024.5", 7, &v))
 *         printf("%g %s\n", v * ncu_scale("Kbyte"), ncu_base_unit("Kbyte"));     // 1.0245e+06 byte
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The factor of a unit, K, M, ... before a word, as in Kbyte or Minst/cycle, and of time: to what --print-units base
 * writes, and that unit. */
double ncu_scale(const char *unit);
const char *ncu_base_unit(const char *unit);

/* A number with commas between thousands; NaN where there is none.  False: it is not a count. */
bool ncu_number(const char *s, size_t len, double *v);
