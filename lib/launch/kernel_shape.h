/*
 * kernel_shape - how many blocks and threads a kernel has, and how many multiprocessors there are to run them.
 *
 *     const int64_t *gpus = kernel_shape_multiprocessors(t);     // by lane
 *     const trace_what *what = &t->work.whats.v[t->work.what[0]];
 *     if (kernel_shape_blocks(t, what) < gpus[0])
 *         puts("some multiprocessors have nothing to do");
 *
 * Numbers that the trace does not have are TRACE_UNKNOWN, which is less than any other.
 */
#pragma once

#include "trace/trace.h"

/* The blocks of a kernel's grid, and the threads of a block.  Needs TRACE_SHAPE. */
int64_t kernel_shape_blocks(const trace *t, const trace_what *what);
int64_t kernel_shape_threads(const trace *t, const trace_what *what);

/* By lane: the multiprocessors of its GPU. */
const int64_t *kernel_shape_multiprocessors(trace *t);
