/*
 * allowed - what a query from anyone may use: functions, pragmas and table functions that only compute or describe.
 *
 *     if (!allowed_function("fts3_tokenizer"))
 *         puts("it reads and writes addresses of the process");
 *
 *     functions_add(sql);
 *     sqlite3_exec(sql, "SELECT fold('layer 17')", NULL, NULL, NULL);    // layer #
 *
 * What SQLite gains in a later version, or in another build, is refused until it is listed here.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

bool allowed_function(const char *name);

bool allowed_pragma(const char *name);

/* Leave a connection only the modules of virtual tables that are allowed, turn off what a query or the schema of a file
 * could misuse, and set bounds to what one statement may hold.  Before any table is added. */
void allowed_only(sqlite3 *sql);

/* Add the functions for nsq's tables: median(x), percentile(x, p), fold(name).  Percentiles are by nearest rank, as
 * everywhere: the value at index ceil(p*n)-1 of the sorted values.  p is a fraction (0.9) or, above 1, in
 * percent (90). */
void functions_add(sqlite3 *sql);
