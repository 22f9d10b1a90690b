/*
 * load_calls - reads CUDA API calls into trace.calls.
 *
 *     calls_raw raw = { 0 };
 *     if (load_calls(t, TRACE_CALLS, NULL, &raw))
 *         load_calls_ids(&raw, &processes, &threads);
 *     load_calls_free(&raw);
 *
 * Calls that are not asked for are only counted, by thread and name.
 */
#pragma once

#include "base/group.h"
#include "sqlite/rows.h"
#include "trace/thread_events.h"
#include "trace/event_span.h"
#include "trace/launches.h"
#include "trace/load_nvtx.h"

enum { CALLS_BACKTRACE = 67 };  /* eventClass of a row that repeats a call, with its call chain */

/* The calls of a thread with a name.  They are counted, and their span is found, by thread and name: neighbours mostly
 * differ in their names, so that one does not wait for what was just stored for the other. */
typedef struct {
	int64_t thread, name;           /* ids */
	launches_ids *wanted;           /* the ids of its process's work */
	size_t calls;
	ival span;
	int64_t last;                   /* when the last of them starts */
	size_t failed;                  /* how many returned an error, */
	int64_t failed_at, returned;    /* when the first of these starts, and which error that is */
} calls_pair;

/* What one worker reads.  Threads of the trace and names have keys of the part's own. */
typedef struct {
	rows_part rows;                 /* its calls that are kept */
	group pairs;                    /* ids of thread and name, */
	vec(calls_pair) of;             /* and what is known of each */
	uint32_t recent[1024];          /* some of them, by a hash */
	uint32_t *name, *kind;          /* by pair: a key of calls_raw.names; a kind of all calls */
	thread_events_list backs;                /* rows with a call chain: pair, chain's id */
} calls_part;

typedef struct {
	rows_parts parts;         /* what each worker read */
	dict names;               /* the name ids that occur */
	uint32_t *name;           /* by key of names: string */
	int64_t *corr;            /* by call: its correlation id, if launches are asked for */
} calls_raw;

static inline calls_part *calls_part_at(const calls_raw *raw, size_t i)
{
	return rows_part_at(calls_part, &raw->parts, i);
}

/* Read the table; l may be NULL.  False after a problem.  Until order_calls_number, calls.kind holds
 * numbers of thread and name, each part's own. */
bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw);

/* Add the processes (global_id.h) and threads (global ids) that made calls. */
void load_calls_ids(const calls_raw *raw, dict *processes, dict *threads);

void load_calls_free(calls_raw *raw);
