/*
 * path_ranks - critical paths through the ranks of a job: a kernel that waits leads into the rank that came last.
 *
 *     path_ranks *all = path_ranks_new(NULL, false);
 *     path_ranks_add(all, t);
 *     path_walk walk = { .all = all, .from = { .gpu = -1, .time = { 0, 5000 } } };
 *     path_walk_go(&walk, false);                // walk.out, from the latest link to the earliest
 *     path_walk_free(&walk);
 *     path_ranks_free(all);
 *
 * Links need their traces as long as paths are walked.  Their sums do not: what lies between kernels of the job is kept
 * added up (path_stretch.h), and where a path ends in the midst of that, path_resolve loads the trace once more.
 */
#pragma once

#include "base/sums.h"
#include "relate/job.h"
#include "relate/path_stretch.h"

typedef struct path_ranks path_ranks;

typedef struct {
	uint32_t rank, proc;
	int64_t gpu;            /* begin with work on this GPU; -1: on any */
	ival time;
	uint32_t begin;         /* with path_ranks_new's adds_up: what path_ranks_from returns */
} path_from;

typedef struct {                /* all but the first two are 0 at first */
	path_ranks *all;
	path_from from;
	path_chain out;         /* links */
	sums totals;            /* of path_total, by path_ranks_key */
	int64_t early;          /* how much of it is before the trace of another rank begins */
	path_place at;
	uint32_t kernel;        /* of the job, that it has come to, or NONE */
	bool adds_up;
	size_t seen;
} path_walk;

/* j, if it is not NULL, is the job of all traces, which job_match has matched before the first walk.  adds_up: sums
 * alone are asked for, and traces may go. */
path_ranks *path_ranks_new(const job *j, bool adds_up);
void path_ranks_free(path_ranks *all);

/* Add a trace, after it was added to the job; its rank is their number before it. */
void path_ranks_add(path_ranks *all, trace *t);

/* Where a walk through the trace that was added last begins; for sums. */
uint32_t path_ranks_from(path_ranks *all, const path_from *from);

/* The trace of a rank is gone. */
void path_ranks_drop(path_ranks *all, uint32_t rank);

/* Add the links of a stretch of a process's time, or their sums: they cover it exactly, or there are none, as the
 * process has no work on the GPU.  Of sums, what cannot be known without a trace that is gone is asked for. */
void path_walk_go(path_walk *w, bool adds_up);
void path_walk_free(path_walk *w);

/* The kind of a total, and the name. */
enum path_kind path_ranks_key(const path_ranks *all, int64_t key, const char **name);

/* Answer what was asked for, each trace loaded and freed by one of several threads.  False: nothing was asked for, or a
 * trace cannot be loaded. */
typedef trace *path_load(void *ctx, uint32_t rank);
bool path_resolve(path_ranks *all, par threads, path_load *load, void *ctx);
