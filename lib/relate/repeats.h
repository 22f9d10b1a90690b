/*
 * repeats - a sequence of kernels that a process repeats: steps where nothing names them.
 *
 *     projection *p = projection_build(t, -1);
 *     repeats r;
 *     if (repeats_find(t, p, proc, &r)) {
 *         printf("%zu times %zu kernels\n", r.n, r.length);
 *         repeats_free(&r);
 *     }
 *     projection_free(p);
 *
 * A stretch runs from one occurrence of a kernel, the anchor, to the next, in
 * order of launch.  share/conventions/window.md says when stretches agree and which
 * anchor is taken.  It may be a layer rather than a step.
 */
#ifndef REPEATS_H
#define REPEATS_H

#include "relate/projection.h"

typedef struct {
	uint32_t *kernels;      /* kernels and whole graphs of the process, in order of launch */
	size_t nkernels;
	uint32_t anchor;        /* string */
	size_t length;          /* kernels in the commonest sequence */
	size_t *first;          /* where each stretch begins among the kernels, and where the last one ends */
	size_t n;               /* stretches */
	size_t agree;           /* those of them that agree with the commonest sequence */
	bool closed;            /* the anchor occurs once more where the last one ends */
} repeats;

/* False: nothing repeats. */
bool repeats_find(const trace *t, const projection *p, uint32_t proc, repeats *out);
void repeats_free(repeats *r);

#endif
