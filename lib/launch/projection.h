/*
 * projection - the GPU work that was launched during a stretch of CPU time.
 *
 *     const projection *p = projection_on(t, -1);
 *     projection_sum s = projection_of(p, proc, 1000000, 2000000);
 *     if (s.work)
 *         printf("%zu pieces, %lld..%lld\n", s.work, (long long)s.first, (long long)s.last);
 *
 * Each call of projection_of takes O(log n).  The work of a process is kept in order of launch, in blocks, with running
 * sums of the blocks, and with a tree of their first starts and last ends.
 */
#pragma once

#include "trace/trace.h"

typedef struct projection projection;

typedef struct {
	size_t work;            /* number of pieces of work, launched by any thread of the process */
	int64_t gpu_ns;         /* time of the kernels and whole graphs among them */
	int64_t first;          /* first start on the GPU; has no meaning if work is 0 */
	int64_t last;           /* last end on the GPU; has no meaning if work is 0 */
	size_t kernels;         /* number of kernels and whole graphs among them */
} projection_sum;

/* The projection of all processes on one device; gpu -1: on all devices.  Needs TRACE_LAUNCH. */
const projection *projection_on(trace *t, int64_t gpu);

/* The same as projection_on(t, -1), but only with the order of launch: projection_of must not be called on it. */
const projection *projection_order(trace *t);

/* The projection on all devices, without the work that a process launches in its intervals, by_process[proc].  The
 * intervals may be freed afterwards.  The caller frees the result. */
projection *projection_without(trace *t, const ival_set *by_process);
void projection_free(projection *p);

/* The device of the projection; -1: all. */
int64_t projection_gpu(const projection *p);

/* The time of the kernels and graphs of a process, ns.  Those whose launch is not in the trace are included; those that
 * projection_without leaves out are not. */
int64_t projection_kernel_ns(const projection *p, uint32_t proc);

/* The work of a process whose launch is in the trace, in order of launch, then start. */
const uint32_t *projection_launched(const projection *p, uint32_t proc, size_t *n);

/* The work of all processes, process by process, in order of launch, then start. */
const uint32_t *projection_all(const projection *p, size_t *n);

/* Sums up the work of a process whose launching call starts in [from,to). */
projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to);
