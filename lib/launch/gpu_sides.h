/*
 * gpu_sides - where push/pop ranges are on a GPU: from the first start to the last end of the work launched in them.
 *
 *     gpu_sides s = gpu_sides_build(around_of(t, AROUND_ADOPT), 0);      // on lane 0
 *     for (size_t i = 0; i < s.n; i++)
 *         printf("range %u: %lld..%lld\n", s.range[i], (long long)s.start[i], (long long)s.end[i]);
 *     gpu_sides_free(&s);
 *
 * A lane is a process's work on one GPU (trace_lane).  Ranges are in order of their start on the GPU; at equal starts
 * the longer one comes first, then the one opened first.  Outer ranges are thus before those inside them.  Ranges
 * without work on the lane are left out.
 */
#pragma once

#include "launch/ranges_around.h"

typedef struct {
	size_t n;
	uint32_t *range;        /* the ranges, as indices into trace.pushpop */
	int64_t *start, *end;   /* by entry of `range`: its times on the GPU */
} gpu_sides;

gpu_sides gpu_sides_build(const around *a, size_t lane);
void gpu_sides_free(gpu_sides *s);
