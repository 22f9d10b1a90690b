/*
 * waiting_calls - the API calls of each thread that wait for the GPU: those of class sync.
 *
 *     const waiting_calls *w = waiting_calls_of(t);      // needs TRACE_CALLS
 *     size_t near = SIZE_MAX;
 *     if (waiting_calls_at(w, 0, 1000, INT64_MAX, &near))
 *         puts("thread 0 waits at 1000 ns");
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	const trace *t;
	size_t *first;          /* by thread: where its own begin, and at the end where the last ones end */
	uint32_t *calls;        /* those of a thread in order of start */
	int64_t *until;         /* the latest end of the thread's up to each */
} waiting_calls;

const waiting_calls *waiting_calls_of(trace *t);

/* Is one of the thread open at the moment, outermost or inside another call, that ends by a later one?  It is found
 * quickly if *near is from the last time that the thread was asked about; SIZE_MAX: search all. */
bool waiting_calls_at(const waiting_calls *w, uint32_t thread, int64_t moment, int64_t by, size_t *from);
