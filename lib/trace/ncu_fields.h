/*
 * ncu_fields - what single fields of Nsight Compute's CSV mean.
 *
 *     double v;
 *     if (ncu_number("1,024.5", 7, &v))
 *         printf("%g bytes\n", v * ncu_scale("Kbyte"));           // 1.0245e+06 bytes
 */
#ifndef NCU_FIELDS_H
#define NCU_FIELDS_H

#include "base/strings.h"

#include <stdbool.h>

/* The factor of a unit: K, M, ... before a word, as in Kbyte or Minst/cycle. */
double ncu_scale(const char *unit);

/* A number with commas between thousands; NaN where there is none.  False: it is not a count. */
bool ncu_number(const char *s, size_t len, double *v);

/* (128, 1, 1) as the string 128x1x1. */
uint32_t ncu_shape(str_pool *names, const char *s, size_t len);

/* The name of the innermost range in TID  "DOMAIN:NAME:..."  "DOMAIN:NAME:..."; STR_NONE: there is none. */
uint32_t ncu_range(str_pool *names, const char *s, size_t len);

#endif
