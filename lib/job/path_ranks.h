/*
 * path_ranks - critical paths through the ranks of a job: from a kernel that waits, a path goes on in the rank that
 * arrived last.
 *
 *     path_ranks *all = path_ranks_new(NULL);
 *     path_ranks_add(all, t);
 *     path_walk walk = { .all = all, .from = { .gpu = -1, .time = { 0, 5000 } } };
 *     path_walk_go(&walk, false);                // walk.links, from the latest to the earliest
 *     path_walk_free(&walk);
 *     path_ranks_free(all);
 *
 * The traces are needed as long as paths are walked.
 */
#pragma once

#include "job/critical_path.h"
#include "job/job.h"

typedef struct path_ranks path_ranks;

typedef struct {                /* where a walk begins, and the time that it explains */
	uint32_t rank;          /* the index of the trace (path_ranks_add) */
	uint32_t proc;          /* a process of this trace */
	int64_t gpu;            /* the walk begins with work on this GPU; -1: on any */
	ival time;
} path_from;

typedef struct {                /* sums over the links of one kind and name */
	int64_t ns;
	size_t edges;           /* number of links, 0 if there are none */
	size_t seen;            /* which link, counted from 1 over all kinds, was the last of this kind and name that
				 * was added up.  Walks go back in time, so the total with the largest number has the
				 * earliest link. */
} path_total;

typedef struct {                /* a walk and its results; all but the first two fields are 0 at first */
	path_ranks *all;
	path_from from;
	vec(path_link) links;
	vec(path_total) totals; /* by kind and name, which path_ranks_describe_key tells */
	size_t seen;            /* number of links that were added up */
	int64_t early;          /* the time at the beginning of `from.time` that stays unexplained, because the walk
				 * ended in a trace that begins later */
	path_place at;          /* where the walk is */
} path_walk;

/* j: the job of all traces, which job_match must have matched before the first walk; NULL: walks stay in their
 * process. */
path_ranks *path_ranks_new(const job *j);
void path_ranks_free(path_ranks *all);

/* Add a trace, after it was added to the job.  Its rank is the number of traces that were added before.  Traces must be
 * added in the order of the job. */
void path_ranks_add(path_ranks *all, trace *t);

/* Walk back through w->from.  Add the links to w->links or, with adds_up, add up their times in w->totals.  The links
 * cover the time exactly; only a process without GPU work has none. */
void path_walk_go(path_walk *w, bool adds_up);
void path_walk_free(path_walk *w);

/* The kind and the name of a total. */
enum path_kind path_ranks_describe_key(const path_ranks *all, size_t key, const char **name);
