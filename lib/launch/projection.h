/*
 * projection - the GPU work that was launched during a stretch of CPU time.
 *
 *     const projection *p = projection_on(t, -1);
 *     projection_sum s = projection_of(p, proc, 1000000, 2000000);
 *     if (s.work)
 *         printf("%zu pieces, %lld..%lld\n", s.work, (long long)s.first, (long long)s.last);
 *
 * Each call of projection_of takes O(log n): the work of a process is kept in order of launch, with running sums, and
 * with the extremes of blocks in a tree.
 */
#pragma once

#include "trace/trace.h"

typedef struct projection projection;

typedef struct {
	size_t work;            /* number of pieces of work, launched by any thread of the process */
	int64_t gpu_ns;         /* time of the kernels and whole graphs among them */
	int64_t first, last;    /* first start and last end on the GPU; meaningless when work is 0 */
	size_t kernels;         /* number of kernels and whole graphs among them */
} projection_sum;

/* The projection on one device or, if gpu is -1, on all.  Needs TRACE_LAUNCH. */
const projection *projection_on(trace *t, int64_t gpu);

/* The order of launch on all devices.  projection_of must not be called on it. */
const projection *projection_order(trace *t);

/* The projection on all devices, without the work that each process launches in its intervals of by_process.  The
 * intervals may be freed afterwards.  The caller frees the result. */
projection *projection_without(trace *t, const ival_set *by_process);
void projection_free(projection *p);

/* The device of the projection; -1: all. */
int64_t projection_gpu(const projection *p);

/* The kernel and graph time of a process, with work whose launch is not in the trace, but without work that
 * projection_without leaves out. */
int64_t projection_kernel_ns(const projection *p, uint32_t proc);

/* The work of a process whose launch is in the trace, in order of launch, then start. */
const uint32_t *projection_launched(const projection *p, uint32_t proc, size_t *n);

/* The work of all processes, process by process, in order of launch, then start. */
const uint32_t *projection_all(const projection *p, size_t *n);

/* The work whose launching call starts in [from,to). */
projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to);
