/*
 * annotated_steps - the ranges that are steps, chosen by their folded name over all processes of a trace.
 *
 *     ival_set *warm = warm_up_find(t);
 *     projection *p = projection_without(t, warm);
 *     annotated_steps a = annotated_steps_find(t, p, warm);
 *     for (size_t i = a.first[0]; i < a.first[1]; i++)
 *         printf("%lld\n", (long long)t->pushpop.start[a.ranges[i]]);    // steps of the first process
 *     annotated_steps_free(&a);
 *     projection_free(p);
 *     warm_up_free(t, warm);
 */
#pragma once

#include "launch/projection.h"
#include "trace/trace.h"

typedef struct {
	uint32_t name;          /* folded; STR_NONE if no name marks steps */
	uint32_t runner_up;     /* the next best name; if no name marks steps, one that says "step" although its ranges
				 * do not qualify; or STR_NONE */
	size_t nrunner_up;      /* number of ranges that have the next best name */
	uint32_t *ranges;       /* push/pop ranges of the name, by process, then start */
	size_t *first;          /* by process: where its ranges begin; the last entry is their number */
} annotated_steps;

/* warm: by process, the warm-up, which the projection leaves out; NULL if there is none. */
annotated_steps annotated_steps_find(trace *t, const projection *p, const ival_set *warm);
void annotated_steps_free(annotated_steps *a);

/* The union of each process's push/pop ranges, outside the domains of libraries, whose name says warm-up.  NULL if
 * there are no such ranges, or if all kernels are launched in them.  Needs TRACE_LAUNCH and TRACE_RANGES. */
ival_set *warm_up_find(const trace *t);
void warm_up_free(const trace *t, ival_set *by_process);
