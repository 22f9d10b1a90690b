/*
 * apart - moments and paths, written as short as they still differ.
 *
 *     int64_t ns[] = { 13935116, 82726703, 82726703, 151609106 };        // two rows, start and end
 *     apart_moments how = apart_moments_of(ns, 2, 2);
 *     char buf[APART_SIZE];
 *     puts(apart_moment(how, ns[0], buf));                               // 13.9 ms
 *
 * All moments of a table have one unit and the same number of decimals, so that they can be compared at a glance.
 */
#pragma once

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const char *unit;       /* "ns", "us", "ms" or "s" */
	int decimals;
	int64_t least;          /* nanoseconds of the last digit that is shown */
} apart_moments;

enum { APART_SIZE = 48 };

/* How to write the moments of a table, row by row; STATS_MISSING is none.  Two that differ in a column, or beside each
 * other in a row, are written differently. */
apart_moments apart_moments_of(const int64_t *ns, size_t rows, size_t columns);
const char *apart_moment(apart_moments how, int64_t ns, char buf[APART_SIZE]);

/* Do paths that differ have base names that differ? */
bool apart_base_names(const char *const *paths, size_t n);
