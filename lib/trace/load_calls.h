/*
 * load_calls - reads CUDA API calls into trace.calls.
 *
 *     calls_raw raw = { 0 };
 *     if (load_calls(t, TRACE_CALLS, NULL, &raw))
 *         load_calls_add_ids(&raw, &processes, &threads);
 *     load_calls_free(&raw);
 *
 * Calls that no question needs are only counted, by thread and name.
 */
#pragma once

#include "base/group.h"
#include "sqlite/rows.h"
#include "trace/thread_events.h"
#include "trace/event_span.h"
#include "trace/launches.h"
#include "trace/load_nvtx.h"

enum { CALLS_BACKTRACE = 67 };  /* eventClass of a row that repeats a call and adds its call chain */

/* The calls of one thread with one name.  Counts and spans are kept by thread and name, not by thread: neighbouring
 * calls mostly differ in name, so the update for one need not wait for the store of the one before. */
typedef struct {
	int64_t thread, name;           /* global id of the thread, id of the name */
	launches_ids *wanted;           /* correlation ids of its process's work; NULL: launches are not needed, or its
					 * work has no ids */
	size_t calls;
	ival span;
	int64_t last;                   /* start of the last of these calls */
	size_t failed;                  /* number of calls that returned an error */
	int64_t failed_at, returned;    /* start of the first call that returned an error, and that error */
} calls_pair;

/* The calls that one worker reads, with its own keys of threads and names. */
typedef struct {
	rows_part rows;                 /* the calls that it keeps */
	group pairs;                    /* pairs of thread id and name id */
	vec(calls_pair) pairs_of;             /* by pair */
	uint32_t recent[1024];          /* recently used pairs, by a hash */
	uint32_t *name, *kind;          /* by pair: a key of calls_raw.names, and an index into trace.calls.kinds */
	thread_events_list chain_rows;                /* rows with a call chain: pair, id of the chain */
} calls_part;

typedef struct {
	rows_parts parts;         /* what each worker read */
	dict names;               /* ids of all names that occur */
	uint32_t *name;           /* by key of names: string */
	int64_t *corr;            /* by call: its correlation id, if launches are needed */
} calls_raw;

static inline calls_part *calls_part_at(const calls_raw *raw, size_t i)
{
	return rows_part_at(calls_part, &raw->parts, i);
}

/* Read the table.  `l` has the correlation ids of work; NULL: launches are not needed.  False after a problem.  Until
 * order_calls_number, calls.kind holds keys of calls_part.pairs, which each part numbers for itself. */
bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw);

/* Add the processes (global_id.h) and threads (global ids) that made calls. */
void load_calls_add_ids(const calls_raw *raw, dict *processes, dict *threads);

void load_calls_free(calls_raw *raw);
