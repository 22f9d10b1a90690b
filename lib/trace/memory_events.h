/*
 * memory_events - allocations and frees of memory: CUDA_GPU_MEMORY_USAGE_EVENTS.
 *
 *     memory_events m = { 0 };
 *     if (memory_events_load(t, &m))
 *         for (size_t i = 0; i < m.nplaces; i++)
 *             printf("%s %lld\n", memory_kind_name(m.places[i].kind), (long long)m.places[i].before);
 *     memory_events_free(&m);
 *
 * nsys writes memory that was allocated before the capture with time 0.  Such a row is not an event, but is added to
 * memory_place.before.
 */
#pragma once

#include "trace/trace.h"

enum memory_kind {              /* answers sort kinds in this order */
	MEMORY_DEVICE, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_STATIC, MEMORY_ARRAY, MEMORY_PAGEABLE, MEMORY_UNKNOWN
};

typedef struct {
	int64_t start;
	int64_t bytes;
	int64_t live;           /* bytes that are allocated in the event's place (memory_place) after the event */
	int64_t corr;           /* correlation id of the call */
	bool freed;             /* true: a free; false: an allocation */
} memory_event;

typedef struct {                /* the events of a process's memory of one kind on one GPU */
	uint32_t proc;          /* NONE: a process that has no other events */
	int64_t gpu;
	enum memory_kind kind;
	int64_t before;         /* bytes that are allocated when the capture begins */
	const memory_event *v;  /* its events, sorted by start; at equal starts allocations before frees, larger before
				 * smaller */
	size_t n;
} memory_place;

typedef struct {
	memory_place *places;   /* sorted by process, GPU, kind */
	size_t nplaces;
	memory_event *events;   /* all events; places[i].v points into this */
} memory_events;

typedef struct {                /* the call that made an event */
	uint32_t proc;
	int64_t corr;
	uint32_t thread;        /* NONE: the call is not in the trace */
	int64_t start;          /* meaningless if thread is NONE */
} memory_call;

/* Does the trace have the table? */
bool memory_events_has(const trace *t);

/* Read the table.  False after a problem. */
bool memory_events_load(trace *t, memory_events *out);
void memory_events_free(memory_events *m);

/* Set the thread and start of each element of `calls`, whose proc and corr are given, by reading the calls of the
 * trace.  `calls` must be sorted by correlation id.  If several calls of the trace match an element, the one that
 * starts first is taken.  False after a problem. */
bool memory_events_find_calls(const trace *t, memory_call *calls, size_t n);

const char *memory_kind_name(enum memory_kind kind);
