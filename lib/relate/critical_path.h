/*
 * critical_path - the chain of work, waits and CPU time that makes a stretch of time as long as it is.
 *
 *     path_ranks *all = path_ranks_new(NULL);
 *     path_ranks_add(all, t, NULL);
 *     path_chain chain = { 0 };
 *     path_walk(all, &(path_from){ .proc = 0, .gpu = -1, .time = { 0, 5000 } }, &chain);
 *     for (size_t i = 0; i < chain.n; i++)
 *         printf("%lld ns %s\n", (long long)(chain.v[i].b - chain.v[i].a), path_kind_name(chain.v[i].kind));
 *     vec_free(&chain);
 *     path_ranks_free(all);
 *
 * share/conventions/path.md says which step leads to which.  Given
 * the matched communication of a job, a collective that waits leads into the rank
 * that came last, of the same trace or of another one.
 */
#ifndef CRITICAL_PATH_H
#define CRITICAL_PATH_H

#include "relate/depends.h"
#include "relate/job.h"

enum path_kind {
	PATH_COMPUTE, PATH_COMM, PATH_COPY, PATH_GRAPH,         /* work; or, between pieces of it, */
	PATH_STREAM, PATH_EVENT, PATH_LAUNCH, PATH_SYNC, PATH_CPU, PATH_INFERRED, PATH_UNRESOLVED
};

typedef struct {                /* a stretch of time, charged once */
	enum path_kind kind;
	uint32_t rank;          /* where: of path_ranks */
	int64_t a, b;           /* on the clock of that trace */
	uint32_t work;          /* what runs, or what it leads up to on the GPU; NONE: it is the CPU's, or if it is
				 * unresolved, the trace of the rank that the walk was in begins later */
	uint32_t thread;        /* what launched the work, or waits, or leads up to a launch; NONE: not known */
	uint32_t call;          /* of PATH_LAUNCH, the call that launched the work; of PATH_SYNC, the one that waited; else NONE */
	uint32_t proc;
} path_link;

typedef vec(path_link) path_chain;

typedef struct {
	uint32_t rank;
	uint32_t proc;
	int64_t gpu;            /* begin with work on this GPU; -1: on any */
	ival time;
} path_from;

typedef struct path_ranks path_ranks;

/* j, if it is not NULL, is the job of all traces, which job_match has matched before the first walk. */
path_ranks *path_ranks_new(const job *j);
void path_ranks_free(path_ranks *all);

/* Add a trace, which is needed as long as paths are walked; its rank is their number before it.  It needs TRACE_WORK,
 * TRACE_SYNCS, TRACE_BYTES, TRACE_CALL_TIMES and TRACE_RANGE_COUNTS.  kernel is what job_add made for it, and becomes
 * path_ranks'; NULL without a job. */
void path_ranks_add(path_ranks *all, trace *t, uint32_t *kernel);

/* Add the links of a stretch of a process's time, in order of time: they cover it exactly, or there are
 * none, as the process has no work on the GPU. */
void path_walk(path_ranks *all, const path_from *from, path_chain *out);

const char *path_kind_name(enum path_kind k);

#endif
