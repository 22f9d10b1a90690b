/*
 * gate_types - does a condition compare a number with a text?
 *
 *     read_table in = { 0 };
 *     if (gate_types(&in, "idle_pct < '5%'", say))       // false: say has what to write instead
 *         puts("it can be asked");
 *
 * SQL sorts every number before every text, so such a comparison says nothing, and as a
 * budget it is always kept.  Looked at are the words beside each comparison: columns, whose
 * types are known, literals and functions.  An error:
 *
 * - a number and a text compared, or a column of text with a number by < <= > >= BETWEEN;
 * - a text literal that begins with a digit, unless it is compared with a column of text or a
 *   function that gives text by = <> IS IN, or with anything by LIKE or GLOB; and a blob;
 * - a column of text, or a text, that stands for true or false.
 */
#pragma once

#include "table/read_table.h"

/* Of a condition that SQLite takes.  False after a problem. */
bool gate_types(const read_table *t, const char *condition, notes *say);
