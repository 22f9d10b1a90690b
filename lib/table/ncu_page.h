/*
 * ncu_page - reads a page that Nsight Compute printed as CSV, raw or details, as a table.
 *
 *     text_rows r = { 0 };
 *     if (text_rows_read(stdin, "standard input", &r, say) && ncu_page_convert(&r))
 *         puts("the numbers are in base units now");
 *     text_rows_free(&r);
 *     double v;
 *     if (ncu_number("1,024.5", 7, &v))
 *         printf("%g %s\n", v * ncu_scale("Kbyte"), ncu_base_unit("Kbyte"));     // 1.0245e+06 byte
 *
 * The raw page has a row with the units of its columns below the header.  The details page has the unit of each value
 * in a column beside it, and some rows of it lack the last fields.  Both have commas between thousands, and units that
 * suit the size of the values.
 */
#pragma once

#include "table/text_rows.h"

/* Convert a page to a table with numbers in base units (byte, ns, hz), without commas and without the row of units.
 * False: it is not such a page, and is not changed. */
bool ncu_page_convert(text_rows *r);

/* The factor from a unit to its base unit.  ncu converts the same units with --print-units base: those with K, M, ...
 * before a word, such as Kbyte or Minst/cycle, and units of time.  Any other unit is its own base unit. */
double ncu_scale(const char *unit);

/* The base unit of a unit. */
const char *ncu_base_unit(const char *unit);

/* Read a number from 0 up, with commas between thousands.  *v is NaN if the text is empty, "n/a" or "nan".  False: the
 * text is something else. */
bool ncu_number(const char *s, size_t len, double *v);
