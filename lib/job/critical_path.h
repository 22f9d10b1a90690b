/*
 * critical_path - the chain of work, waits and CPU time that makes a stretch of time as long as it is, in one trace.
 *
 *     const path_facts *p = path_facts_of(t, false);
 *     path_place at = path_at(0, 0, (ival){ 0, 5000 });
 *     path_taker to = { take, t };               // take(t, link) is called for each link, the latest first
 *     path_start(p, &at, -1, &to);
 *     path_walk_on(p, &at, &to);
 *
 * share/conventions/path.md says where a walk goes from each piece of work.  Time is walked backwards.  If a walk comes
 * to a kernel that communicates with other ranks, path_ranks.h continues it.
 */
#pragma once

#include "base/memory.h"
#include "trace/trace.h"

enum path_kind {
	PATH_COMPUTE, PATH_COMM, PATH_COPY, PATH_GRAPH,         /* time in which work runs */
	/* time between pieces of work */
	PATH_STREAM, PATH_EVENT, PATH_DISPATCH, PATH_SYNC, PATH_CPU, PATH_INFERRED, PATH_UNRESOLVED
};

typedef struct {                /* a stretch of time and what it is charged to; links do not overlap */
	enum path_kind kind;
	uint32_t name;          /* name of the kernel, copy, graph or call: a string of the trace, or STR_NONE */
	uint32_t rank;          /* the number of the trace, as in path_ranks */
	int64_t a, b;           /* on the clock of that trace */
	uint32_t work;          /* the work that runs, or that follows the time.  NONE: cpu, sync, or the unresolved
				 * time that is left when a walk can go no further back */
	uint32_t call;          /* compute, comm, copy, graph and dispatch (even if the trace says too little, so that
				 * the kind is unresolved): the launch of the work; sync: the call that waited; cpu: the
				 * launch that follows.  NONE: unknown, or another kind */
	uint32_t proc;
} path_link;

typedef struct {                /* receives the links */
	void (*take)(void *ctx, const path_link *link);
	void *ctx;
} path_taker;

typedef struct path_facts path_facts;

/* Facts about a trace that walks need, kept with the trace.  Needs TRACE_WORK and TRACE_SYNCS; through_ranks also needs
 * what nccl_ops_of needs. */
const path_facts *path_facts_of(trace *t, bool through_ranks);

/* The index of a piece of work in the kernels of nccl_ops; NONE: it is no such kernel, or the facts are not for paths
 * through ranks. */
uint32_t path_nccl_kernel_of(const path_facts *p, uint32_t work);

typedef struct {                /* where a walk is */
	uint32_t rank, proc;
	uint32_t work;          /* the work that it has come to; NONE at its end */
	int64_t until;          /* the moment up to which the walk charges time to the work */
	ival time;              /* the time that is left to explain */
	int64_t before;         /* the walk goes on only with waiting calls that ended by this moment; INT64_MAX: with
				 * any */
} path_place;

static inline path_place path_at(uint32_t rank, uint32_t proc, ival time)
{
	return (path_place){ rank, proc, NONE, 0, time, INT64_MAX };
}

/* Move from the end of the time to the work at which the walk begins, on one GPU; gpu -1: on any. */
void path_start(const path_facts *p, path_place *at, int64_t gpu, const path_taker *out);

/* Charge the time from the moment on to the work that the walk has come to. */
void path_charge(const path_facts *p, path_place *at, int64_t moment, const path_taker *out);

/* Move from the start of the work to what it waited for, and charge the time in between. */
void path_step_back(const path_facts *p, path_place *at, const path_taker *out);

/* Walk to the next communication kernel (path_nccl_kernel_of), or to the end. */
void path_walk_on(const path_facts *p, path_place *at, const path_taker *out);

/* The thread of a link: it launched the work, waits, or makes the launch that follows; NONE: unknown. */
uint32_t path_thread(const trace *t, const path_link *link);

const char *path_kind_name(enum path_kind k);
