/*
 * project - the GPU work that was launched during a stretch of CPU time.
 *
 *     project *p = project_build(t, -1);
 *     project_sum s = project_of(p, proc, range_start, range_end);
 *     ... s.work pieces, s.first..s.last on the GPU, s.gpu_ns of kernels and graphs ...
 *     project_free(p);
 *
 * Each question costs O(log n): the work of a process is kept in order of
 * launch, with running sums, and with the extremes of blocks in a tree.
 */
#ifndef PROJECT_H
#define PROJECT_H

#include "trace/trace.h"

typedef struct project project;

typedef struct {
	size_t work;            /* pieces of work launched by any thread of the process */
	int64_t gpu_ns;         /* time of the kernels and whole graphs among them */
	int64_t first, last;    /* first start and last end; meaningless when work is 0 */
} project_sum;

/* gpu: of one device alone; -1: of all. */
project *project_build(const trace *t, int64_t gpu);
project_sum project_of(const project *p, uint32_t proc, int64_t from, int64_t to);
void project_free(project *p);

#endif
