/*
 * depends - what a piece of work had to wait for before it could run.
 *
 *     const depends *d = depends_of(t);          // needs TRACE_WORK and TRACE_SYNCS
 *     depends_on p = depends_producer(d, 0);
 *     if (p.work != NONE)
 *         printf("work 0 ran after %s\n", str_at(&t->names, work_name(&t->work, p.work)));
 *     if (p.unresolved)
 *         puts("it waited for an event whose record is not in the trace, too");
 *     for (const depends_wait *w = depends_waits(d, 0); w; w = depends_next(w))
 *         printf("an event that was complete at %lld\n",
 *                w->on.work == NONE ? -1LL : (long long)t->work.end[w->on.work]);
 *
 * Work runs after all work that was launched before it on its stream, and after every event that the stream has been
 * told to wait for since.  A stream is a context and a number within a process.  An event is complete when the work
 * launched before its record on its stream is, and whatever that stream had been told to wait for by then.  Of all
 * these only the work that ends last counts, so a stream that merely passes an event on never shows up as a producer.
 * Work was launched before other work if its call starts earlier; work that one call launches runs in order of start.
 * What follows a replay of a CUDA graph on a stream that ran one of its nodes runs after the whole replay.  The trace
 * does not say which node a node waited for, so the node of the same replay that ended last before it is taken.  Work
 * whose launch is not in the trace is taken to be launched before anything its stream ran after it; what it waited for
 * itself is unknown, as it is for all work on an unknown stream.
 *
 * If several threads make the calls, an event may be recorded after the wait for it began.  The wait then takes what
 * that record stands for, unless its stream has been given work in between.
 *
 * All calls are gone through once, in order, so the time this takes does not depend on
 * how long the chains of events are.
 */
#pragma once

#include "launch/launched.h"
#include "launch/wait_counts.h"

typedef struct {
	uint32_t work;          /* what ends last, or NONE */
	bool unresolved;        /* there is a wait among what this stands for whose record is not in the trace */
} depends_on;

typedef struct {                /* an event that a stream was told to wait for */
	uint32_t waiter;        /* the next work of the stream */
	depends_on on;
	bool more;              /* the next one is for the same work */
} depends_wait;

typedef struct depends depends;

const depends *depends_of(trace *t);

/* Of the work before it on its stream the one that ends last, or NONE. */
uint32_t depends_previous(const depends *d, size_t work);

/* The node of its replay that ended last before it (launched_replayed), or NONE. */
uint32_t depends_replayed(const depends *d, size_t work);

/* What its stream was told to wait for after that, in the order of the calls; NULL: nothing. */
const depends_wait *depends_waits(const depends *d, size_t work);

static inline const depends_wait *depends_next(const depends_wait *w)
{
	return w->more ? w + 1 : NULL;
}

/* Does its stream wait for nothing but the work before it, and is it known which stream that is? */
bool depends_plain(const depends *d, size_t work);

/* Is it not known on which stream it ran? */
bool depends_streamless(const depends *d, size_t work);

/* The one of all these that ends last (at equal ends the node, the previous work of the stream, then the first in order
 * of work), and whether a wait among them is unresolved or its stream not known.  Work that starts after it is none of
 * them. */
depends_on depends_producer(const depends *d, size_t work);

/* What a row of trace.syncs stands for: the stream or the event that the call waits for; NONE for what records an event
 * or tells a stream to wait. */
depends_on depends_sync(const depends *d, size_t row);

/* How many waits there are, and how many of them are resolved. */
const wait_counts *depends_counts(const depends *d);
