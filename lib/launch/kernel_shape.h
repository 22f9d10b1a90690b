/*
 * kernel_shape - how many blocks and threads a kernel has, how many multiprocessors can run them, and how many blocks
 * each multiprocessor can hold.
 *
 *     const int64_t *by_lane = kernel_shape_multiprocessors(t);
 *     const work_type *type = &t->work.types.v[t->work.type[0]];
 *     if (kernel_shape_blocks(t, type) < by_lane[0])
 *         puts("some multiprocessors have nothing to do");
 *
 * Numbers that the trace does not have are TRACE_UNKNOWN, which is less than any other.
 */
#pragma once

#include "trace/gpu_cards.h"

/* The number of blocks in a kernel's grid.  Needs TRACE_SHAPE. */
int64_t kernel_shape_blocks(const trace *t, const work_type *type);

/* The number of threads in a kernel's block.  Needs TRACE_SHAPE. */
int64_t kernel_shape_threads(const trace *t, const work_type *type);

typedef struct {                /* how the blocks of a kernel fit a GPU */
	double waves;           /* blocks of the grid divided by the blocks that the GPU holds at the same time; NAN:
				 * unknown */
	double tail_pct;        /* percentage of the last wave that is empty; NAN: unknown */
	double occupancy_pct;   /* warps of the blocks that a multiprocessor holds, in percent of the warps that it can
				 * hold; NAN: unknown */
	const char *limit;      /* what limits how many blocks a multiprocessor holds: "threads", "blocks", "registers"
				 * or "shared"; NULL: unknown */
} kernel_shape_fit;

/* Computed as in CUDA's occupancy calculator.  Needs TRACE_RESOURCES. */
kernel_shape_fit kernel_shape_compute_fit(const trace *t, const work_type *type, const gpu_model *gpu);

/* An array with an element for each lane (trace_lane): the number of multiprocessors of its GPU. */
const int64_t *kernel_shape_multiprocessors(trace *t);
