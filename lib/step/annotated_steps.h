/*
 * annotated_steps - finds the ranges that are steps, by their folded name (step # for step 7), for all processes of a
 * trace together.
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
	uint32_t runner_up;     /* the folded name that is second best, if a name marks steps.  Otherwise the best name
				 * that has a word for a step (such as iter), although its ranges cannot be steps;
				 * STR_NONE: there is none */
	size_t nrunner_up;      /* number of ranges whose folded name is runner_up */
	uint32_t *ranges;       /* indices of the push/pop ranges with this name, by process, then start */
	size_t *first;          /* by process: the index in `ranges` at which its ranges begin; first[nprocs] is the
				 * number of all ranges */
} annotated_steps;

/* warm: for each process, its warm-up (warm_up_find), which the projection leaves out; NULL if there is none. */
annotated_steps annotated_steps_find(trace *t, const projection *p, const ival_set *warm);
void annotated_steps_free(annotated_steps *a);

/* An array with an element for each process: the union of its push/pop ranges whose names say warm-up; ranges in
 * domains of libraries do not count.  NULL: there are no such ranges, or every kernel and graph is launched in them.
 * Needs TRACE_LAUNCH and TRACE_RANGES. */
ival_set *warm_up_find(const trace *t);
void warm_up_free(const trace *t, ival_set *by_process);
