/*
 * critical_path - the chain of work, waits and CPU time that makes a stretch of time as long as it is, in one trace.
 *
 *     const path_trace *p = path_trace_of(t, false);
 *     path_place at = path_at(0, 0, (ival){ 0, 5000 });
 *     path_taker to = { take, t };               // take(t, link) is called for each link, the latest first
 *     path_start(p, &at, -1, &to);
 *     path_go(p, &at, &to);
 *
 * share/conventions/path.md says which step leads to which.  Time is walked backwards.  path_ranks.h leads on where a
 * walk comes to a kernel that communicates with other ranks.
 */
#pragma once

#include "base/memory.h"
#include "trace/trace.h"

enum path_kind {
	PATH_COMPUTE, PATH_COMM, PATH_COPY, PATH_GRAPH,         /* work; or, between pieces of it, */
	PATH_STREAM, PATH_EVENT, PATH_DISPATCH, PATH_SYNC, PATH_CPU, PATH_INFERRED, PATH_UNRESOLVED
};

typedef struct {                /* a stretch of time, charged once */
	enum path_kind kind;
	uint32_t name;          /* of the kernel, copy, graph or call: a string of the trace, or STR_NONE */
	uint32_t rank;          /* where: of path_ranks */
	int64_t a, b;           /* on the clock of that trace */
	uint32_t work;          /* what runs, or what it leads up to on the GPU; NONE: it is the CPU's, or if it is
				 * unresolved, the trace of the rank that the walk was in begins later */
	uint32_t call;          /* what launched the work, or waited, or is the launch that it leads up to; NONE: not
				 * known */
	uint32_t proc;
} path_link;

typedef struct {                /* who takes the links */
	void (*take)(void *ctx, const path_link *link);
	void *ctx;
} path_taker;

typedef struct path_trace path_trace;

/* What walks need of a trace, which keeps it.  It needs TRACE_WORK and TRACE_SYNCS;
 * through ranks, what nccl_ops_of needs as well. */
const path_trace *path_trace_of(trace *t, bool through_ranks);

/* Which of nccl_ops's kernels a piece of work is; NONE: none, or paths do not lead through ranks. */
uint32_t path_kernel(const path_trace *p, uint32_t work);

typedef struct {                /* where a walk is */
	uint32_t rank, proc;
	uint32_t work;          /* what it has come to; NONE: nothing, it is at its end */
	int64_t until;          /* that counts up to this moment */
	ival time;              /* what is left to explain */
	int64_t before;         /* only calls that ended by then lead on; INT64_MAX: all do */
} path_place;

static inline path_place path_at(uint32_t rank, uint32_t proc, ival time)
{
	return (path_place){ rank, proc, NONE, 0, time, INT64_MAX };
}

/* From the end of the time to the work that it begins with, on a GPU or, if gpu is -1, on any. */
void path_start(const path_trace *p, path_place *at, int64_t gpu, const path_taker *out);

/* Charge the work that the walk has come to, from the moment on. */
void path_charge(const path_trace *p, path_place *at, int64_t moment, const path_taker *out);

/* From the start of the work to what it waited for. */
void path_back(const path_trace *p, path_place *at, const path_taker *out);

/* Go on to the next kernel (path_kernel), or to the end. */
void path_go(const path_trace *p, path_place *at, const path_taker *out);

/* The thread that launched the work, or waits, or leads up to a launch; NONE: not known. */
uint32_t path_thread(const trace *t, const path_link *link);

const char *path_kind_name(enum path_kind k);
