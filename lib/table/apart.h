/*
 * apart - writes moments as short as possible, but so that different ones still look different, and says whether the
 * last parts of paths are enough to tell the paths apart.
 *
 *     int64_t ns[] = { 13935116, 82726703, 82726703, 151609106 };        // two rows, start and end
 *     apart_moments how = apart_moments_of(ns, 2, 2);
 *     char buf[APART_SIZE];
 *     puts(apart_format(how, ns[0], buf));                               // 13.9 ms
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
	int64_t least;          /* ns that the last digit shown stands for */
} apart_moments;

enum { APART_SIZE = 48 };       /* enough bytes for any moment */

/* Choose how to write the moments of a table, which are given row by row.  Different moments are written differently if
 * they are in one column, or next to each other in a row.  STATS_MISSING is a missing moment. */
apart_moments apart_moments_of(const int64_t *ns, size_t rows, size_t columns);

/* Write a moment, which must not be STATS_MISSING, into buf. */
const char *apart_format(apart_moments how, int64_t ns, char buf[APART_SIZE]);

/* Do all different paths have different base names? */
bool apart_base_names(const char *const *paths, size_t n);
