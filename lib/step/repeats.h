/*
 * repeats - a sequence of kernels that a process repeats: steps where nothing names them.
 *
 *     const projection *p = projection_on(t, -1);
 *     repeats_ctx *f = repeats_begin(t, p, NULL, false);
 *     repeats r;
 *     if (repeats_find(f, proc, &r))
 *         printf("%zu times %zu pieces of work\n", r.n, r.length);
 *     repeats_free(&r);
 *     repeats_end(f);
 *
 * A stretch runs from one occurrence of a kernel, the anchor, to the next, in
 * order of launch.  share/conventions/window.md says when stretches agree and which
 * anchor is taken.  It may be a layer rather than a step.
 */
#pragma once

#include "base/pattern.h"
#include "launch/projection.h"

typedef struct {
	uint32_t *work;         /* the process's work but for migrations and warm-up, in order of launch */
	size_t nwork;
	uint32_t anchor;        /* string */
	size_t length;          /* pieces of work in the commonest sequence */
	size_t *first;          /* where each step begins among the work, and where the last one ends */
	size_t n;               /* steps */
	size_t agree;           /* those of them that agree with the commonest sequence */
	bool closed;            /* does another begin where the last one ends? */
	size_t outer;           /* in how many larger repeats they are; 0: in none, */
	bool *agrees;           /* and then by step: is it like the others, and no prompt or the like? */
} repeats;

typedef struct repeats_ctx repeats_ctx;

/* warm: the warm-up of each process, which the projection leaves out; NULL: it has none.  outer: of a repeat inside a
 * repeat, take the outer one. */
repeats_ctx *repeats_begin(const trace *t, const projection *p, const ival_set *warm, bool outer);
void repeats_end(repeats_ctx *f);

/* False: nothing repeats.  Then r is empty. */
bool repeats_find(repeats_ctx *f, uint32_t proc, repeats *r);

/* The steps that begin at kernels whose short name matches, the last one to the end of the process. */
void repeats_at_kernels(const trace *t, const projection *p, uint32_t proc, const pattern *re, repeats *r);
void repeats_free(repeats *r);
