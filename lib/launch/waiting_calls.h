/*
 * waiting_calls - the API calls of each thread that wait for the GPU: those of class sync.
 *
 *     const waiting_calls *w = waiting_calls_of(t);      // needs TRACE_CALLS
 *     size_t from = SIZE_MAX;
 *     if (waiting_calls_at(w, 0, 1000, INT64_MAX, &from))
 *         puts("thread 0 waits at 1000 ns");
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	const trace *t;
	size_t *first;          /* by thread: where its calls begin in `calls`; the last entry is the number of calls */
	uint32_t *calls;        /* the waiting calls, by thread and start */
	int64_t *until;         /* by entry of `calls`: the latest end among this call and the earlier ones of its
				 * thread in `calls` */
} waiting_calls;

const waiting_calls *waiting_calls_of(trace *t);

/* Is a waiting call of the thread open at the moment, and does it end by the deadline?  The call may be inside
 * another one.  *from: where the previous search in this thread ended, so that this one is quick; SIZE_MAX: there was
 * none.  It is set to where this search ended. */
bool waiting_calls_at(const waiting_calls *w, uint32_t thread, int64_t moment, int64_t deadline, size_t *from);
