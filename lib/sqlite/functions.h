/*
 * functions - the SQL functions that nsq adds: median(x), percentile(x, p), fold(name).
 *
 *     functions_add(sql);
 *     sqlite3_exec(sql, "SELECT fold('layer 17')", NULL, NULL, NULL);    // layer #
 *
 * Percentiles are by nearest rank, as in all of nsq: the value at index ceil(p*n)-1, from 0, of the n sorted values.
 * p up to 1 is a fraction (0.9), and p above 1 is a percentage (90).
 */
#pragma once

#include <sqlite3.h>

void functions_add(sqlite3 *sql);
