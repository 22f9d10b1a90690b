/*
 * phases - what the program computes between two steps and belongs to neither, such as the next request's prefill.
 *
 *     int64_t *ends = phases_ends(t, all);               // windows that are steps, each up to the next
 *     ival *between = phases_between(t, all, (size_t[]){ 0, 1 }, 2, ends, 0);
 *     for (size_t i = 0; i < 2; i++)
 *         printf("%lld\n", (long long)(between[i].b - between[i].a));    // 0: nothing
 *     free(between);
 *     free(ends);
 *
 * A step's window is longer than its range.  Kernels that are launched behind the range, more than twice as many as
 * behind most steps and at least half as many as a step has itself, are another phase.  A pause is not: it launches
 * nothing, and saving is not: it copies.
 */
#pragma once

#include "timeline/window.h"

/* By window: when the range that is the step ends; INT64_MAX: no range is.  The caller frees it. */
int64_t *phases_ends(const trace *t, const windows *steps);

/* Of the n windows that are steps on a lane: from the first start to the last end of another phase's kernels.  The
 * caller frees it. */
ival *phases_between(const trace *t, const windows *steps, const size_t *which, size_t n, const int64_t *ends,
		     size_t lane);
