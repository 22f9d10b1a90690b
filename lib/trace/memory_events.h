/*
 * memory_events - allocations and frees of memory: CUDA_GPU_MEMORY_USAGE_EVENTS.
 *
 *     memory_events m = { 0 };
 *     if (memory_events_load(t, &m))
 *         for (size_t i = 0; i < m.nplaces; i++)
 *             printf("%s %lld\n", memory_kind_name(m.places[i].kind), (long long)m.places[i].before);
 *     memory_events_free(&m);
 *
 * What was allocated before the capture is stamped 0: it is not an event, but what the sum begins with.
 */
#pragma once

#include "trace/trace.h"

enum memory_kind {              /* in the order of rows */
	MEMORY_DEVICE, MEMORY_PINNED, MEMORY_MANAGED, MEMORY_STATIC, MEMORY_ARRAY, MEMORY_PAGEABLE, MEMORY_UNKNOWN
};

typedef struct {
	int64_t start;
	int64_t bytes;
	int64_t live;           /* how many bytes are live after it */
	int64_t corr;           /* correlation id of the call */
	bool freed;             /* else allocated */
} memory_event;

typedef struct {                /* the memory of one kind that a process has on a GPU */
	uint32_t proc;          /* NONE: one that has no other events */
	int64_t gpu;
	enum memory_kind kind;
	int64_t before;         /* live when the capture began */
	const memory_event *v;  /* sorted by start, at equal starts allocations first, the largest of them in front */
	size_t n;
} memory_place;

typedef struct {
	memory_place *places;   /* by process, GPU, kind */
	size_t nplaces;
	memory_event *events;
} memory_events;

typedef struct {                /* the call that an event was made by */
	uint32_t proc;
	int64_t corr;
	uint32_t thread;        /* NONE: the call is not in the trace */
	int64_t start;
} memory_call;

/* Were allocations captured? */
bool memory_events_has(const trace *t);

/* False after a problem. */
bool memory_events_load(trace *t, memory_events *out);
void memory_events_free(memory_events *m);

/* Find the threads and starts of calls by their process and correlation id, in order of which they must be: of several
 * calls, the first.  False after a problem. */
bool memory_events_calls(const trace *t, memory_call *calls, size_t n);

const char *memory_kind_name(enum memory_kind kind);
