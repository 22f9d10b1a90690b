/*
 * stats - count, sum, mean, percentiles and extremes of durations, group by group.
 *
 *     stats st = { 0 };
 *     stats_add(&st, group, dur_ns);             // for every event
 *     stats_sum *sums = stats_finish(&st, groups, 2);
 *     ... sums[g].total, sums[g].p90 ...
 *     free(sums);
 *
 * Percentiles are by nearest rank: the value at index ceil(p*n)-1 of the sorted
 * values.  Means round half up.
 */
#ifndef STATS_H
#define STATS_H

#include "base/memory.h"

#include <stdint.h>

#define STATS_MISSING INT64_MIN      /* a number that there is none of */

typedef struct {
	vec(uint32_t) group;
	vec(int64_t) value;
} stats;

typedef struct {
	int64_t count, total, mean, p50, p90, p99, min, max;  /* all but count and total: STATS_MISSING of nothing */
} stats_sum;

/* Make room for n more values, where their number is known. */
void stats_reserve(stats *s, size_t n);
void stats_add(stats *s, size_t group, int64_t value);

/* The sums of groups 0..groups-1, worked out by so many threads, for the caller to free; empties the stats. */
stats_sum *stats_finish(stats *s, size_t groups, int threads);

#endif
