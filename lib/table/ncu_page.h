/*
 * ncu_page - a page of Nsight Compute among the tables.
 *
 *     text_rows r = { 0 };
 *     if (text_rows_read(stdin, "standard input", &r, say) && ncu_page_plain(&r))
 *         puts("the numbers are in base units now");
 *     text_rows_free(&r);
 *     double v;
 *     if (ncu_number("1,024.5", 7, &v))
 *         printf("%g %s\n", v * ncu_scale("Kbyte"), ncu_base_unit("Kbyte"));     // 1.0245e+06 byte
 *
 * The raw page has the units of its columns below the header, the details page the unit of a value beside it and
 * shorter rows; both have commas between thousands, and units as large as suits a value.
 */
#pragma once

#include "table/text_rows.h"

/* Make it a table whose numbers are in base units (byte, ns, hz), without commas and without the row of units.  False:
 * it is no such page, and stays as it is. */
bool ncu_page_plain(text_rows *r);

/* The factor of a unit, K, M, ... before a word, as in Kbyte or Minst/cycle, and of time: to what --print-units base
 * writes, and that unit. */
double ncu_scale(const char *unit);
const char *ncu_base_unit(const char *unit);

/* A number with commas between thousands; NaN where there is none.  False: it is not a count. */
bool ncu_number(const char *s, size_t len, double *v);
