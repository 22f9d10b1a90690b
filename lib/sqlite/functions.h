/*
 * functions - what nsq's tables add to SQL: median(x), percentile(x, p), fold(name).
 *
 *     functions_add(sql);
 *     sqlite3_exec(sql, "SELECT fold('layer 17')", NULL, NULL, NULL);    // layer #
 *
 * Percentiles are by nearest rank, as everywhere: the value at index ceil(p*n)-1 of the sorted values.  p is a fraction
 * (0.9) or, above 1, in percent (90).
 */
#pragma once

#include <sqlite3.h>

void functions_add(sqlite3 *sql);
