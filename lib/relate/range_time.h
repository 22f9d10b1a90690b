/*
 * range_time - the GPU time in a window by the NVTX ranges around its launches.
 *
 *     const around *a = around_of(t, AROUND_WORK);
 *     range_time *time = range_time_open(a);
 *     range_time_window(time, w);                // for each window; replaces the numbers of the last one
 *     printf("%lld %lld\n", (long long)time->self[0], (long long)time->none_ns);
 *     range_time_close(time);
 *
 * It takes time proportional to the work in the window, or one pass over all
 * ranges if that is less.
 */
#pragma once

#include "base/memory.h"
#include "relate/ranges_around.h"
#include "relate/window.h"

typedef struct {
	const around *a;
	int64_t *kernels, *self;                /* by push/pop range: kernels and graphs whose innermost range it is */
	int64_t *incl;                          /* by push/pop range: time of those launched anywhere inside it */
	int64_t none_ns, none_kernels;          /* kernels and graphs in no range */
	int64_t total_ns;                       /* of all kernels and graphs: self and none_ns add up to this */
	bool nested;                            /* no range outlives the one around it; none is adopted or captured */
	bool sparse;                            /* only the elements in touched were written */
	vec(uint32_t) touched;
} range_time;

/* a must outlive it. */
range_time *range_time_open(const around *a);
void range_time_close(range_time *x);

/* Sum the kernels and whole graphs in a window. */
void range_time_window(range_time *x, const window *w);

/* Call f for each kernel and whole graph in the window, with its time there. */
void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

/* Each range has a label, a number below nlabels, or NONE.  Adds to sum[l] the time of what was launched
 * inside ranges with label l, counting each piece once however the ranges nest.  The window must be the
 * one that was summed last. */
void range_time_by_label(const range_time *x, const window *w, const uint32_t *label, size_t nlabels,
			 int64_t *sum);
