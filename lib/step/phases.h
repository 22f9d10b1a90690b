/*
 * phases - work between two steps that belongs to neither, such as the prefill of the next request.
 *
 *     int64_t *ends = phases_ends(t, all);               // windows that are steps, each up to the next
 *     ival *between = phases_between(t, all, (size_t[]){ 0, 1 }, 2, ends, 0);
 *     for (size_t i = 0; i < 2; i++)
 *         printf("%lld\n", (long long)(between[i].b - between[i].a));    // 0: nothing
 *     free(between);
 *     free(ends);
 *
 * A step's window goes on after its range, up to the next step.  The kernels that are launched after the range are
 * another phase if their number is more than twice the median over the steps, and at least half the median number of
 * the other kernels of a step.  A pause is no phase, because it launches nothing; saving a checkpoint is none, because
 * it only copies.
 */
#pragma once

#include "timeline/window.h"

/* For each window: the end of the step's range; INT64_MAX: the step has no range.  The caller frees the array. */
int64_t *phases_ends(const trace *t, const windows *steps);

/* For each of n windows of steps on a lane (a process on a GPU, trace_lane): the time of the kernels of another phase,
 * from their first start to their last end; an empty interval: there is no other phase.  indices: of the windows.
 * ends: from phases_ends.  The caller frees the array. */
ival *phases_between(const trace *t, const windows *steps, const size_t *indices, size_t n, const int64_t *ends,
		     size_t lane);
