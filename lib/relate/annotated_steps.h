/*
 * annotated_steps - the ranges that are steps, told by their folded name over all processes of a trace.
 *
 *     projection *p = projection_build(t, -1);
 *     annotated_steps a = annotated_steps_find(t, p);
 *     for (size_t i = a.first[0]; i < a.first[1]; i++)
 *         printf("%lld\n", (long long)t->pushpop.start[a.ranges[i]]);    // those of the first process
 *     annotated_steps_free(&a);
 *     projection_free(p);
 */
#ifndef ANNOTATED_STEPS_H
#define ANNOTATED_STEPS_H

#include "relate/projection.h"

typedef struct {
	uint32_t name;          /* folded; STR_NONE: no name does */
	uint32_t inner;         /* a name that would do too and repeats inside these, such as decode steps of requests; or STR_NONE */
	size_t ninner;          /* how many of those there are */
	uint32_t *ranges;       /* push/pop ranges of that name, in order of process and start */
	size_t *first;          /* by process: where its ranges begin; one more for the end */
} annotated_steps;

annotated_steps annotated_steps_find(trace *t, const projection *p);
void annotated_steps_free(annotated_steps *a);

#endif
