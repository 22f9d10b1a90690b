/*
 * owners - who owns each nanosecond of a process on a GPU: the work that runs or, when none does, what kept it away.
 *
 *     owners *o = owners_build(t, &(owners_params){ 0 });
 *     printf("%s\n", o && t->work.n ? owner_name(owners_of_work(o, 0)) : "-");  // owners_walk goes through time
 *     owners_free(o);
 *
 * share/conventions/ledger.md defines the owners.  What a moment belongs to does not depend on the window in which it
 * is looked at: the steps that "data" refers to are those of the trace.
 */
#pragma once

#include "base/notes.h"
#include "base/pattern.h"
#include "launch/ranges_around.h"
#include "step/steps_rule.h"

enum owner {
	OWNER_MATMUL, OWNER_MATMUL_PLAIN, OWNER_ATTENTION, OWNER_ATTENTION_PLAIN, OWNER_POINTWISE, OWNER_REDUCTION,
	OWNER_OPTIMIZER, OWNER_MOVE, OWNER_GRAPH, OWNER_COMPUTE,
	OWNER_COMM_WAIT, OWNER_COMM,
	OWNER_COPY_PAGEABLE, OWNER_COPY_UM, OWNER_COPY,
	OWNER_TURNAROUND,       /* the first that is idle; of equal parts of a gap the first in this order wins */
	OWNER_QUEUED, OWNER_LAUNCH, OWNER_SYNC, OWNER_ALLOC, OWNER_LOAD, OWNER_API, OWNER_DATA, OWNER_MPI, OWNER_HOST,
	OWNER_UM, OWNER_UNKNOWN, OWNER_EDGE, OWNERS
};

typedef struct {                /* a stretch of time of a lane with one owner */
	ival at;
	enum owner owner;
	bool synced;            /* it lies in a gap that began while the CPU waited for the GPU */
	uint32_t where, name;   /* the range, folded, and the kernel or call: strings, or STR_NONE */
	uint32_t work;          /* what runs, or what ends the idle stretch; NONE: nothing does */
	uint32_t call;          /* the outermost call that an idle stretch lies in, or NONE */
	int64_t gap;            /* length of the whole idle gap; 0: work runs */
	bool pageable;          /* idle time inside the call of a copy from or to pageable memory */
} owner_piece;

typedef struct {                /* a communication kernel: when the last rank arrived at it, and what it moves */
	uint32_t work;
	int64_t at;             /* INT64_MIN: it is not matched */
	int64_t bytes;          /* TRACE_UNKNOWN: the trace does not say */
} owner_arrival;

typedef struct {
	steps_choice choice;    /* of the steps */
	bool adopt, captured;   /* as in ranges_around.h */
	bool adopt_where;       /* a place in no range of its thread is named by the main thread's range */
	bool owners_alone;      /* pieces do not say where they are */
	bool kernels;           /* idle time is that without kernels and graphs: for idle_owners.h alone */
	const owner_arrival *arrivals;  /* in order of work */
	size_t narrivals;
} owners_params;

enum {                          /* what must be loaded */
	OWNERS_NEED = TRACE_WORK | TRACE_CALLS | TRACE_SYNCS | TRACE_MPI | TRACE_RANGES | TRACE_FULL |
		TRACE_SHAPE | TRACE_CAPTURES | TRACE_PAYLOADS
};

typedef struct owners owners;

owners *owners_build(trace *t, const owners_params *p);

void owners_free(owners *o);

/* Call f for each piece of the lane's time in the interval, in order; together they are all of it.  May add names to
 * the trace. */
typedef void owners_take(void *ctx, const owner_piece *piece);
void owners_walk(const owners *o, size_t lane, ival in, owners_take *f, void *ctx);

/* Who owns a piece of work when it runs alone, and in which range; and the ranges around it. */
enum owner owners_of_work(const owners *o, size_t work);
uint32_t owners_where(const owners *o, size_t work);
const around *owners_around(const owners *o);

/* The same as far as its name tells: every copy is a copy, whatever memory it is of.  Needs no owners. */
enum owner owners_by_name(trace *t, size_t work);

/* Was it, unless it is NONE, launched by a replay of a CUDA graph?  Not to be asked once sources are forgotten. */
bool owners_replayed(const owners *o, size_t work);

const char *owner_name(enum owner o);
enum owner owner_named(const char *name);     /* OWNERS: none is called so */

static inline bool owner_is_idle(enum owner o)
{
	return o >= OWNER_TURNAROUND;
}
