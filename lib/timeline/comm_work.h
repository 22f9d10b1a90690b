/*
 * comm_work - the work that communicates, found once, so that questions about it need not look at the other work.
 *
 *     const comm_work *c = comm_work_of(t);
 *     comm_walk k = { 0 };
 *     while (comm_work_next(c, w, &k))                   // in the GPU side of a window, as window_next
 *         printf("%lld\n", (long long)t->work.start[k.work]);
 */
#pragma once

#include "timeline/window.h"

typedef struct {
	trace *t;
	uint32_t *work;         /* indices of the work that communicates, in rising order */
	size_t n;
	size_t *first;          /* by lane: the index in `work` of its first communication; the last entry is n */
} comm_work;

/* Needs TRACE_WORK. */
const comm_work *comm_work_of(trace *t);

/* A walk like that of window_next; k->work is c->work[k->next - 1] after each comm_work_next. */
typedef struct {
	size_t work, next, end;
	window_walk all;        /* the walk through all work */
} comm_walk;

bool comm_work_next(const comm_work *c, const window *w, comm_walk *k);

/* How long communication runs on a lane, in a side of a window, ns.  Time in which several pieces run counts once. */
int64_t comm_work_time(trace *t, size_t lane, const ival_set *side);
