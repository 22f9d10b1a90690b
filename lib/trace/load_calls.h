/*
 * load_calls - reads CUDA API calls into trace.calls.
 *
 *     calls_raw raw = { 0 };
 *     if (load_calls(t, TRACE_CALLS, NULL, &raw))
 *         load_calls_add_ids(&raw, &processes, &threads);
 *     load_calls_free(&raw);
 *
 * Calls that are not needed are only counted, for each thread and name.
 */
#pragma once

#include "base/group.h"
#include "sqlite/rows.h"
#include "trace/thread_events.h"
#include "trace/event_span.h"
#include "trace/launches.h"
#include "trace/load_nvtx.h"

enum { CALLS_BACKTRACE = 67 };  /* eventClass of a row that repeats a call and adds its call chain */

/* The calls of one thread with one name.  Counts and spans are kept for each such pair and not for each thread, because
 * two calls in a row mostly have different names, so the CPU need not finish one update before the next. */
typedef struct {
	int64_t thread;                 /* global id of the thread */
	int64_t name;                   /* id of the name in nsys's table of strings */
	launches_ids *wanted;           /* correlation ids of the work of the thread's process; NULL: not needed, or
					 * that work has no ids */
	size_t calls;                   /* number of these calls */
	ival span;                      /* from their first start to their last end */
	int64_t last;                   /* start of the last one */
	size_t failed;                  /* number of them that returned an error */
	int64_t failed_at;              /* start of the first one that returned an error */
	int64_t returned;               /* the error that it returned */
} calls_of_pair;

/* One part of the table: the calls that one worker, a thread of nsq, reads (sqlite/rows.h).  The pairs of a thread and
 * a name have numbers of their own in each part. */
typedef struct {
	rows_part rows;                 /* the calls that are kept */
	group pairs;                    /* numbers the pairs of thread id and name id */
	vec(calls_of_pair) pairs_of;    /* by number of the pair */
	uint32_t recent[1024];          /* by a hash of a pair: the number of the pair that had this hash last */
	uint32_t *name;                 /* by number of the pair: key of its name in calls_raw.names */
	uint32_t *kind;                 /* by number of the pair: index into trace.calls.kinds */
	thread_events_list chain_rows;  /* rows with a call chain; here, `thread` is the number of a pair, and `name`
					 * the id of a chain */
} calls_part;

typedef struct {
	rows_parts parts;         /* what each worker read */
	dict names;               /* ids of all names of calls */
	uint32_t *name;           /* by key of names: string */
	int64_t *corr;            /* by call: its correlation id; NULL: launches are not needed */
} calls_raw;

static inline calls_part *calls_part_at(const calls_raw *raw, size_t i)
{
	return rows_part_at(calls_part, &raw->parts, i);
}

/* Read the table of calls.  TRACE_CALLS keeps all calls.  Without it, only calls whose correlation id is in `l` are
 * kept; `l` is NULL if launches are not needed.  Afterwards, trace.calls.kind holds the number that the call's pair has
 * in the call's part; order_calls_number replaces these numbers.  False after a problem. */
bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw);

/* Add the processes (as in global_id.h) and threads (global ids) that made calls to the two dictionaries. */
void load_calls_add_ids(const calls_raw *raw, dict *processes, dict *threads);

void load_calls_free(calls_raw *raw);
