/*
 * thread_events - sorts the events of threads, and finds those of one thread.
 *
 *     thread_events_list l = { 0 };
 *     thread_events_add(&l, 0, 100, 200, STR_NONE);      // of thread 0
 *     trace_thread_events a = thread_events_take_list(&l, &t->names, t->nthreads);
 *     for (size_t i = a.first[0]; i < a.first[1]; i++)
 *         printf("%lld\n", (long long)a.start[i]);
 *     thread_events_free(&a);
 */
#pragma once

#include "trace/trace.h"

typedef struct {                /* the events of one thread with one name */
	uint32_t thread;        /* NONE: these events are left out */
	uint32_t name;          /* string; any number if thread_events_source.names is NULL */
} thread_events_kind;

typedef struct {                /* events in any order */
	int64_t *start, *end;   /* end NULL: the events are moments */
	uint32_t *kind;         /* index into the kinds of the event's part (thread_events_part) */
	uint32_t *chain;        /* the call chain of the event; NULL: events have none */
} thread_events_rows;

typedef struct {                /* events `first` to `first` + n - 1 of thread_events_rows, with kinds of their own */
	size_t first, n;
	thread_events_kind *kinds;
} thread_events_part;

typedef struct {
	thread_events_part *parts;      /* all parts of thread_events_rows, in order */
	size_t nparts;
	const str_pool *names;  /* pool of thread_events_kind.name; NULL: names are numbers, not strings */
	size_t nthreads;
	size_t margin;          /* number of elements that are left free before the events of each thread, and after
				 * them, for events that the caller adds */
} thread_events_source;

/* Sort events by thread, start, length (longest first), name, chain.  The memory of the rows is freed. */
trace_thread_events thread_events_order(thread_events_rows *rows, const thread_events_source *from);
void thread_events_free(trace_thread_events *a);

/* Renumber the threads of events that were sorted for n threads: thread[i] is the new index of thread i, less than
 * nthreads.  The order of threads must stay the same. */
void thread_events_renumber(trace_thread_events *a, const uint32_t *thread, size_t n, size_t nthreads);

typedef struct {                /* a list to which events are added one by one */
	size_t n, room;
	thread_events_rows rows;
	vec(thread_events_kind) kinds;
} thread_events_list;

void thread_events_add(thread_events_list *l, uint32_t thread, int64_t start, int64_t end, uint32_t name);
void thread_events_list_free(thread_events_list *l);

/* Sort the events of a list.  The list is empty afterwards. */
trace_thread_events thread_events_take_list(thread_events_list *l, const str_pool *names, size_t nthreads);

/* The index of the thread's first event that ends at the moment or later; if there is none, the index after its last
 * event. */
size_t thread_events_find_reaching(const trace_thread_events *a, uint32_t thread, int64_t moment);

/* The latest end of the thread's events before `event`; INT64_MIN: there are none. */
int64_t thread_events_latest_before(const trace_thread_events *a, uint32_t thread, size_t event);

/* The thread of an event. */
uint32_t thread_events_find_thread(const trace_thread_events *a, size_t nthreads, size_t event);
