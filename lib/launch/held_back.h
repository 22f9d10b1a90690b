/*
 * held_back - which work was ready while other streams ran, but did not start beside them, and why.
 *
 *     held_back *h = held_back_build(t);         // needs TRACE_WORK, TRACE_SYNCS and TRACE_RESOURCES
 *     for (size_t i = 0; h && i < h->n; i++)
 *         printf("%u waited for %u: %s\n", h->v[i].work, h->v[i].behind, held_back_name(h->v[i].why));
 *     held_back_free(h);
 *
 * Work is ready when it has been issued (launched_issued, launched.h) and the work before it on its stream has ended.
 */
#pragma once

#include "trace/trace.h"

enum held_back_why {
	HELD_UNKNOWN,           /* it starts when a kernel of another stream ends, and the trace shows no reason */
	HELD_EVENT,             /* its stream was told to wait for an event of the other stream */
	HELD_DEFAULT,           /* one of the two streams is the legacy default stream, and the other one is blocking,
				 * so that each waits for the other */
	HELD_QUEUE,             /* when it was ready, work that was launched earlier, and so is ahead of it in a queue,
				 * had not started yet */
	HELD_FULL               /* it starts when a kernel of another stream ends, and that kernel has at least as many
				 * blocks as the GPU holds at the same time */
};

enum { HELD_LEAST_NS = 10000 }; /* shorter waits do not count, because work takes that long to start, and clocks are not
				 * more exact */

typedef struct {
	uint32_t work;          /* the work that was held back */
	uint32_t behind;        /* the work that it waited for */
	int64_t from;           /* when the work was ready */
	int64_t until;          /* when the wait ended: at the end of `behind` or, for HELD_QUEUE, at its start, but no
				 * later than the start of the work */
	enum held_back_why why;
} held_back_wait;

typedef struct {
	held_back_wait *v;      /* lane by lane (trace_lane: a process's work on one GPU), in order of start of the
				 * work */
	size_t n, room;
} held_back;

/* NULL after a problem. */
held_back *held_back_build(trace *t);
void held_back_free(held_back *h);

/* "event", "default", "queue" or "full"; NULL for HELD_UNKNOWN. */
const char *held_back_name(enum held_back_why why);
