/*
 * idle_calls - which API calls are around the time when a GPU of their process is idle.
 *
 *     launches *l = launches_build(t, process_of_stream, TRACE_LAUNCH);
 *     idle_calls *all = idle_calls_build(t, l);
 *     idle_thread thread = idle_calls_of(all, process_of_stream[0]);     // each thread, in each part of the table
 *     const int64_t start[] = { 1000, 2000 }, end[] = { 1500, 2500 };
 *     uint32_t kept[2];
 *     size_t n = idle_calls_keep(&thread, &(idle_rows){ 2, start, end, (uint32_t[]){ 0, 0 }, (bool[]){ false, true } },
 *                                kept);                          // with 1, and maybe 0
 *     printf("%zu\n", n);
 *     idle_calls_free(all);
 *
 * Why a GPU is idle is told by the calls of the thread that launches next: which it is in meanwhile, and where it is in
 * none, which it came from and goes to.  So a call is kept if a GPU is idle during it or during the time up to the call
 * before it or after it on its thread, and with a call that is kept those that overlap it, one of which may be around
 * it.  Most calls of a process that keeps its GPUs busy are not.  More are kept than that: those at the edge of a
 * batch, and around stretches of work that are short.
 */
#pragma once

#include "trace/launches.h"

typedef struct idle_calls idle_calls;

/* Work is in order, and its ids are numbered. */
idle_calls *idle_calls_build(const trace *t, const launches *l);
void idle_calls_free(idle_calls *all);

/* What is known of a thread. */
typedef struct {
	const ival *idle;       /* times when a GPU of its process is idle, in order, that are still to be looked at, */
	const ival *last_idle;  /* up to this, which is never */
	int64_t first, from;    /* when its first call starts, and its last, */
	int64_t until;          /* and when those that overlap this end; INT64_MIN: nothing came yet */
	uint32_t last;          /* of a batch the last row of those, */
	bool keep;              /* and are they kept? */
	bool unordered;         /* a call started before the one that came before it: what was kept is wrong */
} idle_thread;

idle_thread idle_calls_of(const idle_calls *all, int64_t process);

/* The next calls of some threads, in order of start on each. */
typedef struct {
	size_t n;               /* at most ROWS_BATCH */
	const int64_t *start, *end;
	const uint32_t *thread; /* which of the threads */
	const bool *keep;       /* it is kept anyway */
} idle_rows;

/* The rows that are kept, in order, and how many. */
size_t idle_calls_keep(idle_thread *threads, const idle_rows *b, uint32_t *kept);
