/*
 * calls - reads CUDA API calls into trace.calls.
 *
 * Calls that are not asked for are counted, by thread and name, and not kept.
 */
#ifndef CALLS_H
#define CALLS_H

#include "trace/launches.h"
#include "trace/event_span.h"

/* Loading is in steps, as threads can be numbered only when all tables have been read. */
typedef struct {
	struct calls_part *parts;  /* what each thread read */
	size_t nparts;
	dict names;               /* name ids met */
	uint32_t *name;           /* by key of names: string */
	uint32_t *number;         /* by call: of its correlation id in join, or NONE */
	uint32_t *name_key;       /* by call: key of names */
	span_set spans;           /* instead, when calls are not loaded */
} calls_raw;

bool calls_scan(trace *t, unsigned need, const join *j, calls_raw *raw);   /* j may be NULL */
void calls_ids(const calls_raw *raw, dict *processes, dict *threads);
void calls_number(trace *t, unsigned need, calls_raw *raw);   /* threads, once they are numbered */
void calls_sort(trace *t, calls_raw *raw);                    /* by start */
void calls_raw_free(calls_raw *raw);

#endif
