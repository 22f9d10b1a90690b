/*
 * load_calls - reads CUDA API calls into trace.calls.
 *
 *     calls_raw raw = { 0 };
 *     if (load_calls(t, TRACE_CALL_COUNTS, NULL, &raw))
 *         load_calls_ids(&raw, &processes, &threads);
 *     load_calls_free(&raw);
 *
 * Calls that are not asked for are only counted, by thread and name.
 */
#pragma once

#include "sqlite/rows.h"
#include "trace/event_span.h"
#include "trace/launches.h"
#include "trace/load_nvtx.h"

typedef struct {
	rows_parts parts;         /* what each worker read */
	dict names;               /* the name ids that occur */
	uint32_t *name;           /* by key of names: string */
	trace_ids corr;           /* by call: its correlation id, if launches are asked for */
	event_spans spans;        /* replaces all of that when calls are not even counted */
} calls_raw;

/* Read the table; l may be NULL.  False after a problem.  Until load_calls_number, calls.kind.many holds
 * numbers of thread and name, each part's own. */
bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw);

/* When each process made the calls that are kept. */
void load_calls_moments(const trace *t, const calls_raw *raw, nvtx_around *to);

/* Add the processes (global_id.h) and threads (global ids) that made calls. */
void load_calls_ids(const calls_raw *raw, dict *processes, dict *threads);

/* Once processes and threads are numbered: set the kinds of calls, and the counts of threads. */
void load_calls_number(trace *t, calls_raw *raw);

/* Put calls in order: by start, longest first, thread, class, name, correlation id. */
void load_calls_sort(trace *t, unsigned need, calls_raw *raw);
void load_calls_free(calls_raw *raw);
