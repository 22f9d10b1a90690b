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
	/* Other time.  Stream, event, dispatch and inferred: work had not started, although the last thing that it
	 * waited for had ended, which is earlier work on its stream, an event, its launch call, or a node before it in
	 * its graph replay.  Sync: a call that waited for work had not returned, although that work had ended.  Cpu:
	 * from the end of such a call to the end of a launch call.  Unresolved: the trace says too little. */
	PATH_STREAM, PATH_EVENT, PATH_DISPATCH, PATH_SYNC, PATH_CPU, PATH_INFERRED, PATH_UNRESOLVED
};

typedef struct {                /* a stretch of time, and the work, wait or call that it is charged to; links do not
				 * overlap */
	enum path_kind kind;
	uint32_t name;          /* name of the kernel, copy, graph or call: a string of the trace, or STR_NONE */
	uint32_t rank;          /* the index of the trace (path_ranks_add, path_ranks.h) */
	int64_t a, b;           /* the stretch, on the clock of that trace, ns */
	uint32_t work;          /* the work that runs, or that comes after this time.  NONE for the kinds cpu and sync,
				 * and for the unresolved time that is left when a walk can go no further back */
	uint32_t call;          /* kinds compute, comm, copy, graph, dispatch: the launch of `work`; sync: the call
				 * that waited; cpu: the launch after this time; unresolved: the launch of `work`, if
				 * the kind is unresolved only because the trace says too little for dispatch; other
				 * kinds: NONE.  NONE also if the trace does not have the call */
	uint32_t proc;
} path_link;

typedef struct {                /* receives the links */
	void (*take)(void *ctx, const path_link *link);
	void *ctx;
} path_taker;

typedef struct path_facts path_facts;

/* Facts about a trace that walks need.  They are kept with the trace.  Needs TRACE_WORK and TRACE_SYNCS.
 * through_ranks: path_walk_on stops at communication kernels; also needs what nccl_ops_of needs. */
const path_facts *path_facts_of(trace *t, bool through_ranks);

/* The index of a piece of work in nccl_ops.kernels.  NONE: it is no communication kernel, or the facts were built
 * without through_ranks. */
uint32_t path_nccl_kernel_of(const path_facts *p, uint32_t work);

typedef struct {                /* where a walk is */
	uint32_t rank, proc;
	uint32_t work;          /* the work that the walk has come to; NONE: the walk has ended */
	int64_t until;          /* the moment up to which the walk charges time to `work` */
	ival time;              /* the time that is left to explain */
	int64_t before;         /* a launch is followed back only to calls that waited and ended by this moment;
				 * INT64_MAX: to any */
} path_place;

static inline path_place path_at(uint32_t rank, uint32_t proc, ival time)
{
	return (path_place){ rank, proc, NONE, 0, time, INT64_MAX };
}

/* Move to the work at which the walk begins: the work that runs at the end of at->time or, if none runs, the next work.
 * The work is on this GPU; gpu -1: on any GPU. */
void path_start(const path_facts *p, path_place *at, int64_t gpu, const path_taker *out);

/* Charge the unexplained time after the moment to at->work. */
void path_charge(const path_facts *p, path_place *at, int64_t moment, const path_taker *out);

/* Move from the start of at->work to what it waited for, and charge the time in between. */
void path_step_back(const path_facts *p, path_place *at, const path_taker *out);

/* Walk on to a communication kernel (path_nccl_kernel_of) or to the end. */
void path_walk_on(const path_facts *p, path_place *at, const path_taker *out);

/* The thread of path_link.call; NONE: there is no call. */
uint32_t path_thread(const trace *t, const path_link *link);

const char *path_kind_name(enum path_kind k);
