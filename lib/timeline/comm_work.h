/*
 * comm_work - the work that communicates, found once, so that questions about it need not look at the other work.
 *
 *     const comm_work *c = comm_work_of(t);
 *     comm_walk walk = { 0 };
 *     while (comm_work_next(c, w, &walk))                // each piece in the GPU side of window w
 *         printf("%lld\n", (long long)t->work.start[walk.work]);
 */
#pragma once

#include "timeline/window.h"

typedef struct {
	trace *t;
	uint32_t *work;         /* indices of the work that communicates, in rising order */
	size_t n;
	size_t *first;          /* lane l (trace_lane: a process on one GPU) has the communication work[first[l]] up to
				 * work[first[l + 1] - 1] */
} comm_work;

/* Needs TRACE_WORK. */
const comm_work *comm_work_of(trace *t);

/* The state of a walk: as window_walk, but only through communication. */
typedef struct {
	size_t work;            /* the current piece, an index of trace.work */
	size_t next;            /* the index in comm_work.work of the next piece */
	size_t end;             /* the index in comm_work.work behind the last piece of the current stretch */
	window_walk all;        /* a walk from stretch to stretch; a stretch is work of one lane without a break in
				 * trace.work */
} comm_walk;

/* Go to the next piece of communication in the GPU side of the window, and set walk->work.  False: there is none. */
bool comm_work_next(const comm_work *c, const window *w, comm_walk *walk);

/* How long communication runs on a lane, in a side of a window, ns.  Time in which several pieces run counts once. */
int64_t comm_work_time(trace *t, size_t lane, const ival_set *side);
