/*
 * projection - the GPU work that was launched during a stretch of CPU time.
 *
 *     const projection *p = projection_on(t, -1);
 *     projection_sum s = projection_of(p, proc, 1000000, 2000000);
 *     if (s.work)
 *         printf("%zu pieces, %lld..%lld\n", s.work, (long long)s.first, (long long)s.last);
 *
 * Each question takes O(log n): the work of a process is kept in order of
 * launch, with running sums, and with the extremes of blocks in a tree.
 */
#pragma once

#include "trace/trace.h"

typedef struct projection projection;

typedef struct {
	size_t work;            /* pieces of work launched by any thread of the process */
	int64_t gpu_ns;         /* time of the kernels and whole graphs among them */
	int64_t first, last;    /* first start and last end on the GPU; meaningless when work is 0 */
	size_t kernels;         /* how many kernels and whole graphs */
} projection_sum;

/* gpu: work on this device only; -1: on all.  Needs TRACE_LAUNCH. */
const projection *projection_on(trace *t, int64_t gpu);

/* That of all devices for those who never ask projection_of: what that reads is not worked out. */
const projection *projection_order(trace *t);

/* That of all devices without the work that is launched in some intervals of its process, of which it keeps nothing.
 * The caller frees it. */
projection *projection_without(trace *t, const ival_set *by_process);
void projection_free(projection *p);

/* The device that was asked about; -1: all. */
int64_t projection_gpu(const projection *p);

/* Kernel and graph time of a process, launched in the trace or not; without what was left out. */
int64_t projection_kernel_ns(const projection *p, uint32_t proc);

/* The work of a process whose launch is in the trace, in order of launch, then start. */
const uint32_t *projection_launched(const projection *p, uint32_t proc, size_t *n);

/* That of all processes, one after another. */
const uint32_t *projection_all(const projection *p, size_t *n);

/* The work whose launching call starts in [from,to). */
projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to);
