/*
 * path_stretch - what a path passes on its way back from one kernel of a job to another of the same trace, added up.
 *
 *     const path_stretches *s = path_stretches_of(t);
 *     if (s->v.n && s->v.v[0].kernel != NONE)
 *         printf("the first kernel leads to kernel %u\n", s->v.v[0].kernel);
 *
 * A path through many ranks is the same in all that it passes but for its two ends.  So of a trace these sums are kept,
 * and the trace is not.  Ways that come together go on as a stretch of its own, so that no work is passed twice.
 */
#pragma once

#include "relate/critical_path.h"

typedef struct {
	int64_t ns;
	uint32_t key;           /* as of path_link */
	uint32_t edges;
} path_sum;

typedef struct {
	int64_t top, bottom;    /* from the start of its work, or from the end of a walk's time, back to here */
	int64_t before;         /* as in path_place, at its end; INT64_MAX: as at its beginning, */
	int64_t asked;          /* where it may not be earlier than this */
	int64_t until;          /* up to when that to which it leads counts: */
	uint32_t kernel;        /* of nccl_ops; or */
	uint32_t next;          /* another stretch, which begins there; both NONE: it ends the path */
	uint32_t work, proc;
	uint32_t first, n;      /* its sums: what comes first in time is last */
} path_stretch;

typedef struct {
	vec(path_stretch) v;    /* from the start of each kernel of nccl_ops, then others */
	vec(path_sum) sums;
} path_stretches;

/* The trace keeps them. */
const path_stretches *path_stretches_of(trace *t);

/* Add one that leads on from the start of the work that the walk has come to; if that is NONE, from the end of the
 * walk's time, where it begins, on the GPU or, if that is -1, on any. */
void path_stretches_add(path_stretches *to, trace *t, path_place at, int64_t gpu);

void path_stretches_free(path_stretches *s);
