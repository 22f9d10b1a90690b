/*
 * stats - count, total, mean, percentiles and extremes of durations, group by group.
 *
 *     stats st = { 0 };
 *     stats_add(&st, group, dur_ns);             // for every event
 *     stats_summary *sums = stats_finish(&st, groups);
 *     ... sums[g].total, sums[g].p90 ...
 *     free(sums);
 *
 * Percentiles are by nearest rank: percentile p is the value at index ceil(p*n/100)-1 of the n sorted values.  Means
 * round half up.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

#define STATS_MISSING INT64_MIN      /* a number that does not exist, such as the mean of no values */

typedef struct {
	vec(uint32_t) group;            /* the group of each value */
	vec(int64_t) value;
} stats;

typedef struct {
	int64_t count, total, mean, p50, p90, p99, min, max;    /* without values, count and total are 0, and the others
								 * STATS_MISSING */
} stats_summary;

/* Reserve room for n more values, if their number is known. */
void stats_reserve(stats *s, size_t n);
void stats_add(stats *s, size_t group, int64_t value);

/* The summaries of groups 0..groups-1.  The caller frees them; the stats are emptied. */
stats_summary *stats_finish(stats *s, size_t groups);

/* Index of a percentile in n sorted values; n is at least 1. */
static inline size_t stats_rank(size_t n, size_t percent)
{
	return (n * percent + 99) / 100 - 1;
}

/* The lower median of n values; n is at least 1. */
int64_t stats_median(const int64_t *v, size_t n);

typedef struct {
	int64_t value;
	double weight;                  /* more than 0 */
} stats_weighted_value;

typedef struct {
	double weight;                  /* the sum of the weights */
	double mean;                    /* weighted */
	int64_t p50, p90;               /* by weight */
	int64_t max;
} stats_weighted_summary;

/* The summary of n values, at least one, by their weights.  The values are reordered. */
stats_weighted_summary stats_summarize_weighted(stats_weighted_value *v, size_t n);
