/*
 * launches - work and the API calls that launched it.
 *
 *     launches *l = launches_build(t, process_of_stream);
 *     launches_collect_ids(t, l);
 *     const launches_ids *ids = launches_of(l, global_process(thread_id));
 *     bool launched = ids && launches_find_slot(ids, correlation_id);        // of each call that is read
 *     printf("%s\n", launched ? "it launched some of this work" : "it launched none of it");
 *     launches_find_calls(t, l, corr);                                        // once calls are in order
 *     launches_store(t, l);                                                // work.launch: the call, or NONE
 *
 * Work was launched by the call of the same process with the same correlation id.  If there are several such calls, the
 * one that starts first is taken.  If only calls that launched work are kept, the ids of the work are collected before
 * calls are read.
 */
#pragma once

#include "trace/trace.h"

/* The distinct correlation ids of a process's work, and the calls that have them.  CUPTI counts ids up, with gaps, so
 * there is a bit for each possible id from `low` on.  If the ids are too far apart for that, there is a dictionary
 * instead. */
typedef struct {
	int64_t process;        /* the process, as in global_id.h */
	size_t from, to;        /* indices of the process's work: from `from` to `to` - 1 */
	int64_t low;            /* the lowest id, if there are bits */
	size_t n;               /* number of bits, or of ids in the dictionary; 0: no ids are collected */
	uint32_t *met;          /* bits, by id - low: does any work have this id? */
	uint32_t *before;       /* by index into met: number of bits that are set in the elements before it */
	dict ids;               /* the dictionary of ids; empty if there are bits */
	uint32_t *call;         /* by id, in order of the bits that are set or by key of the dictionary: its call, or
				 * NONE */
} launches_ids;

typedef struct {
	launches_ids *v;        /* sorted by process */
	size_t n;
} launches;

/* List the processes of the work; their ids are not collected yet.  `process` has the process (global_id.h) of each
 * stream.  Work must be sorted by process. */
launches *launches_build(const trace *t, const int64_t *process);

/* Collect the ids in trace.work.corr, for each process in l. */
void launches_collect_ids(const trace *t, const launches *l);

/* The ids of a process's work; NULL: the process has no work with ids, or they are not collected yet. */
launches_ids *launches_of(const launches *l, int64_t process);

/* The element of x->call for an id; NULL: no work has the id.  0 is CUPTI's mark for "no correlation" and not an id. */
static inline uint32_t *launches_find_slot(const launches_ids *x, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)x->low;
	uint32_t key = x->ids.n ? dict_find(&x->ids, id) : DICT_NONE;

	if (key != DICT_NONE)
		return &x->call[key];
	if (x->ids.n || at >= x->n || !(x->met[at / 32] >> at % 32 & 1))
		return NULL;
	return &x->call[x->before[at / 32] +
			(uint32_t)__builtin_popcount(x->met[at / 32] & ((UINT32_C(1) << at % 32) - 1))];
}

/* Find the first call of each id.  `corr` has the correlation id of each call of the trace. */
void launches_find_calls(const trace *t, const launches *l, const int64_t *corr);

/* If calls `a` and `b` have the same id, is `a` the one that launched the work?  It is the call that starts first; at
 * equal starts the one with the lower thread, then the lower index. */
static inline bool launches_precedes(const trace_calls *c, size_t a, size_t b)
{
	return c->start[a] != c->start[b] ? c->start[a] < c->start[b] :
		calls_thread(c, a) != calls_thread(c, b) ? calls_thread(c, a) < calls_thread(c, b) : a < b;
}

/* Store the calls in trace.work.launch, and free l. */
void launches_store(trace *t, launches *l);
