/*
 * sample_weights - how much each of a series of samples tells about some work.
 *
 *     const int64_t time[] = { 100, 200, 300 };
 *     ival_set runs = { 0 }, side = { 0 };
 *     ival_add(&runs, 150, 240);                 // when the work runs
 *     ival_add(&side, 0, 1000);                  // the window
 *     sample_weights w = { 0 };
 *     sample_weights_find(time, 3, &runs, &side, &w);
 *     for (size_t i = 0; i < w.n; i++)
 *         printf("%zu %.1f\n", w.v[i].sample, w.v[i].share);     // 1 0.5, 2 0.4
 *     vec_free(&w);
 *     ival_free(&runs);
 *     ival_free(&side);
 *
 * A sample describes the time since the one before, its interval; the first has
 * none.  It is weighted by the share of its interval in which the work runs.
 */
#pragma once

#include "base/interval.h"
#include "base/memory.h"

typedef struct {
	size_t sample;
	double share;
} sample_weight;

typedef struct {
	sample_weight *v;       /* by sample; none has the share 0 */
	size_t n, room;
	double sum;
} sample_weights;

/* Weigh the samples in a side of a window, by their n rising times; replaces what is in out. */
void sample_weights_find(const int64_t *time, size_t n, const ival_set *runs, const ival_set *side,
			 sample_weights *out);
