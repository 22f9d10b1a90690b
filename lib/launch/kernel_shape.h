/*
 * kernel_shape - how many blocks and threads a kernel has, how many multiprocessors there are to run them, and how many
 * blocks each of these can hold.
 *
 *     const int64_t *gpus = kernel_shape_multiprocessors(t);     // by lane
 *     const work_type *what = &t->work.types.v[t->work.type[0]];
 *     if (kernel_shape_blocks(t, what) < gpus[0])
 *         puts("some multiprocessors have nothing to do");
 *
 * Numbers that the trace does not have are TRACE_UNKNOWN, which is less than any other.
 */
#pragma once

#include "trace/gpu_cards.h"

/* The blocks of a kernel's grid, and the threads of a block.  Needs TRACE_SHAPE. */
int64_t kernel_shape_blocks(const trace *t, const work_type *what);
int64_t kernel_shape_threads(const trace *t, const work_type *what);

typedef struct {                /* how the blocks of a kernel fit a GPU */
	double waves;           /* blocks of the grid over those that fit at once; NAN: not known, as are those below */
	double tail_pct;        /* so much of the last wave is empty */
	double occupancy_pct;   /* so many of the warps that a multiprocessor can hold */
	const char *limit;      /* why no more blocks fit: threads, blocks, registers, shared; NULL: not known */
} kernel_shape_fit;

/* As CUDA's occupancy calculator works it out.  Needs TRACE_RESOURCES. */
kernel_shape_fit kernel_shape_fit_of(const trace *t, const work_type *what, const gpu_model *gpu);

/* By lane: the multiprocessors of its GPU. */
const int64_t *kernel_shape_multiprocessors(trace *t);
