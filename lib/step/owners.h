/*
 * owners - who owns each nanosecond of a process on a GPU: the work that runs or, when none does, what kept it away.
 *
 *     owners *o = owners_build(t, &(owners_params){ 0 });
 *     printf("%s\n", o && t->work.n ? owner_name(owners_of_work(o, 0)) : "-");  // owners_walk goes through time
 *     owners_free(o);
 *
 * share/conventions/ledger.md defines the owners.  The owner of a moment does not depend on the window.  Whether it is
 * "data" can depend on the length of a step, but the steps are always those of the whole trace.
 */
#pragma once

#include "base/notes.h"
#include "base/pattern.h"
#include "launch/ranges_around.h"
#include "step/steps_rule.h"

/* The owners of compute, of communication, of copies and of idle time, in this order.  If two owners have equally much
 * of an idle gap, the one that comes first here owns the gap as a whole (idle_owners_judge). */
enum owner {
	OWNER_MATMUL, OWNER_MATMUL_PLAIN, OWNER_ATTENTION, OWNER_ATTENTION_PLAIN, OWNER_POINTWISE, OWNER_REDUCTION,
	OWNER_OPTIMIZER, OWNER_MOVE, OWNER_GRAPH, OWNER_COMPUTE,
	OWNER_COMM_WAIT, OWNER_COMM,
	OWNER_COPY_PAGEABLE, OWNER_COPY_UM, OWNER_COPY,
	OWNER_TURNAROUND,       /* the first idle owner */
	OWNER_QUEUED, OWNER_LAUNCH, OWNER_SYNC, OWNER_ALLOC, OWNER_LOAD, OWNER_API, OWNER_DATA, OWNER_MPI, OWNER_HOST,
	OWNER_UM, OWNER_UNKNOWN, OWNER_EDGE, OWNERS
};

typedef struct {                /* a stretch of time with one owner, of a lane (a process on a GPU, trace_lane) */
	ival at;
	enum owner owner;
	bool synced;            /* is it a part of an idle gap that began while the CPU waited for the GPU? */
	uint32_t where;         /* folded name of the range in which `work` was launched or, in idle time before that
				 * launch, of the range in which the launching thread is; or STR_NONE */
	uint32_t name;          /* name of the work that runs or, in idle time, of the CUDA or MPI call; or STR_NONE */
	uint32_t work;          /* the work that runs, or that ends the idle gap; or NONE */
	uint32_t call;          /* idle time: the outermost CUDA call of the launching thread, or NONE */
	int64_t gap;            /* length of the whole idle gap, ns; INT64_MAX: no work precedes it, or none follows; 0
				 * if work runs */
	bool pageable;          /* is it idle time inside the call of a copy from or to pageable memory? */
} owner_piece;

typedef struct {                /* a communication kernel, and when the last rank arrived at it */
	uint32_t work;
	int64_t at;             /* when the last rank arrived; INT64_MIN: the kernel is not matched with kernels of
				 * other ranks */
	int64_t bytes;          /* size of its operation; TRACE_UNKNOWN if the trace does not say */
} owner_arrival;

typedef struct {
	steps_choice choice;    /* which steps are meant; their lengths decide between "data" and "host" */
	bool adopt;             /* work of other threads also counts as in the main thread's ranges (AROUND_ADOPT) */
	bool captured;          /* the ranges around the capture of a graph node count, too (AROUND_CAPTURED) */
	bool adopt_where;       /* if the thread has no open range, owner_piece.where is the main thread's */
	bool owners_alone;      /* leave out owner_piece.where */
	bool kernels;           /* time without kernels and graphs counts as idle; only for idle_owners.h */
	const owner_arrival *arrivals;  /* in order of work */
	size_t narrivals;
} owners_params;

enum {                          /* what must be loaded to find owners */
	OWNERS_NEED = TRACE_WORK | TRACE_CALLS | TRACE_SYNCS | TRACE_MPI | TRACE_RANGES | TRACE_FULL |
		TRACE_SHAPE | TRACE_CAPTURES | TRACE_PAYLOADS
};

typedef struct owners owners;

/* p must live as long as the result. */
owners *owners_build(trace *t, const owners_params *p);

void owners_free(owners *o);

/* Call f for each piece of the lane's time in the interval, in order.  The pieces cover the interval.  This may
 * add names to trace.names. */
typedef void owners_take(void *ctx, const owner_piece *piece);
void owners_walk(const owners *o, size_t lane, ival in, owners_take *f, void *ctx);

/* The owner that work has if it runs alone. */
enum owner owners_of_work(const owners *o, size_t work);

/* The folded name of the range in which the work was launched or, with `captured`, in which its graph node was
 * captured; STR_NONE: there is none, or owners_alone is set. */
uint32_t owners_where(const owners *o, size_t work);

/* The ranges around work that the owners depend on: those that `adopt` and `captured` ask for; AROUND_RANGES if neither
 * is set, or if owners_alone is. */
const around *owners_around(const owners *o);

/* The owner of work by its name alone: a copy that is not communication is OWNER_COPY, whatever its memory.  Needs no
 * owners_build. */
enum owner owners_by_name(trace *t, size_t work);

/* Was this work launched by a replay of a CUDA graph?  False for NONE. */
bool owners_replayed(const owners *o, size_t work);

const char *owner_name(enum owner o);
enum owner owner_named(const char *name);     /* OWNERS if none has that name */

static inline bool owner_is_idle(enum owner o)
{
	return o >= OWNER_TURNAROUND;
}
