/*
 * gpu_sides - where push/pop ranges are on a GPU: from the first start to the last end of the work launched in them.
 *
 *     gpu_sides s = gpu_sides_of(around_of(t, AROUND_ADOPT), 0);      // on lane 0
 *     for (size_t i = 0; i < s.n; i++)
 *         printf("range %u: %lld..%lld\n", s.range[i], (long long)s.start[i], (long long)s.end[i]);
 *     gpu_sides_free(&s);
 *
 * Outer ranges come first: what starts earlier on the GPU, or is longer there, or was opened first.  Ranges without
 * work on the lane are not among them.
 */
#pragma once

#include "launch/ranges_around.h"

typedef struct {
	size_t n;
	uint32_t *range;
	int64_t *start, *end;   /* by number, as the ranges are */
} gpu_sides;

gpu_sides gpu_sides_of(const around *a, size_t lane);
void gpu_sides_free(gpu_sides *s);
