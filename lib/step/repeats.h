/*
 * repeats - a sequence of kernels that a process repeats.  Each repetition is a step, unless ranges name the steps.
 *
 *     const projection *p = projection_on(t, -1);
 *     repeats_ctx *f = repeats_begin(t, p, NULL, false);
 *     repeats r;
 *     if (repeats_find(f, proc, &r))
 *         printf("%zu times %zu pieces of work\n", r.n, r.length);
 *     repeats_free(&r);
 *     repeats_end(f);
 *
 * A stretch goes from one occurrence of a kernel, the anchor, to the next, in order of launch.  Stretches agree if
 * they hold nearly the same work.  share/conventions/window.md says when they do, and which anchor is taken.  A
 * stretch may be a layer rather than a step.
 */
#pragma once

#include "base/pattern.h"
#include "launch/projection.h"

typedef struct {
	uint32_t *work;         /* the process's work in order of launch, without migrations and without work that the
				 * projection leaves out (warm-up) */
	size_t nwork;
	uint32_t anchor;        /* the name of the anchor, a string */
	size_t length;          /* number of pieces of work in the commonest sequence of a stretch (stretches.h) */
	size_t *first;          /* by step: the index in `work` of its first piece; first[n] is the end of the last
				 * step */
	size_t n;               /* number of steps */
	size_t agree;           /* number of steps that agree (stretches.h) */
	bool closed;            /* does another stretch begin where the last step ends? */
	size_t outer;           /* the number of larger repeats that contain the steps; 0: none does */
	bool *agrees;           /* by step: does it agree with the others?  A step that does not may process a prompt.
				 * NULL if outer is 0 */
} repeats;

typedef struct repeats_ctx repeats_ctx;

/* warm: for each process, its warm-up (warm_up_find), which the projection leaves out; NULL: there is none.  outer: if
 * a repeat lies inside a larger one, take the larger one. */
repeats_ctx *repeats_begin(const trace *t, const projection *p, const ival_set *warm, bool outer);
void repeats_end(repeats_ctx *f);

/* Find the repeats of a process.  False: nothing repeats, and r is empty. */
bool repeats_find(repeats_ctx *f, uint32_t proc, repeats *r);

/* Cut the work of a process into steps at each kernel or graph whose short name matches.  The last step ends with the
 * process's work.  This sets work, nwork, anchor, first and n only. */
void repeats_cut_at_kernels(const trace *t, const projection *p, uint32_t proc, const pattern *re, repeats *r);
void repeats_free(repeats *r);
