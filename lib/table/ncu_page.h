/*
 * ncu_page - a page of Nsight Compute among the tables.
 *
 *     text_rows r = { 0 };
 *     if (text_rows_read(stdin, "standard input", &r, say) && ncu_page_plain(&r))
 *         puts("the numbers are in base units now");
 *     text_rows_free(&r);
 *
 * The raw page has the units of its columns below the header, the details page the unit of a value beside it and
 * shorter rows; both have commas between thousands, and units as large as suits a value.
 */
#pragma once

#include "table/text_rows.h"

/* Make it a table whose numbers are in base units (byte, ns, hz), without commas and without the row of units.  False:
 * it is no such page, and stays as it is. */
bool ncu_page_plain(text_rows *r);
