/*
 * depends - what a piece of work had to wait for before it could run.
 *
 *     const depends *d = depends_of(t);          // needs TRACE_WORK and TRACE_SYNCS
 *     depends_found p = depends_producer(d, 0);
 *     if (p.work != NONE)
 *         printf("work 0 ran after %s\n", str_at(&t->names, work_name(&t->work, p.work)));
 *     if (p.unresolved)
 *         puts("it waited for an event whose record is not in the trace, too");
 *     for (const depends_wait *w = depends_waits(d, 0); w; w = depends_next(w))
 *         printf("an event that was complete at %lld\n",
 *                w->on.work == NONE ? -1LL : (long long)t->work.end[w->on.work]);
 *
 * Work runs after all work that was launched before it on its stream, and after every event that the stream has been
 * told to wait for since.  A stream is a context and a number within a process.  Before an event is complete, two
 * things must be complete: the work launched on its stream before the record, and all that this stream had been told to
 * wait for.  Only the work that ends last counts, so a stream that merely passes an event on never shows up as a
 * producer.  Work was launched before other work if its call starts earlier; work that one call launches runs in order
 * of start.  Work that follows a replay of a CUDA graph, on a stream that ran one of its nodes, runs after the whole
 * replay.  The trace does not say which node a node waited for, so we take the node of that replay that ended last
 * before the node started.  Work whose launch is not in the trace counts as launched before everything that its stream
 * ran after it.  What such work waited for is unknown, as it is for all work on an unknown stream.
 *
 * If several threads make the calls, an event may be recorded after the wait for it began.  The wait then counts for
 * that record, unless the waiting stream has been given work in between.
 *
 * One pass goes over all calls in order, so its time does not depend on the length of chains of events.
 */
#pragma once

#include "launch/launched.h"
#include "launch/wait_counts.h"

typedef struct {
	uint32_t work;          /* the work that ends last, or NONE */
	bool unresolved;        /* something is not known: the record of an event that was waited for, or the stream */
} depends_found;

typedef struct {                /* an event that a stream was told to wait for */
	uint32_t waiter;        /* the next work of the stream */
	depends_found on;       /* the last work that had to end before the event was complete */
	bool more;              /* the next element is a wait of the same work */
} depends_wait;

typedef struct depends depends;

const depends *depends_of(trace *t);

/* Among the earlier work on the same stream, the piece that ends last; or NONE. */
uint32_t depends_previous(const depends *d, size_t work);

/* The node of the same replay that ended last before the work started (launched_find_replayed); or NONE. */
uint32_t depends_replayed(const depends *d, size_t work);

/* The events that the work's stream was told to wait for after the previous work, in the order of the calls; NULL:
 * none. */
const depends_wait *depends_waits(const depends *d, size_t work);

static inline const depends_wait *depends_next(const depends_wait *w)
{
	return w->more ? w + 1 : NULL;
}

/* Is the stream of the work known, and did the work wait for nothing but earlier work there? */
bool depends_on_stream_only(const depends *d, size_t work);

/* Is the stream of the work unknown? */
bool depends_streamless(const depends *d, size_t work);

/* The producer of the work: among the results of depends_replayed, depends_previous and depends_waits, the piece that
 * ends last; at equal ends in this order, then the first in order of work.  unresolved: one of the waits is unresolved,
 * or the stream is unknown.  Pieces that start later than this work are left out. */
depends_found depends_producer(const depends *d, size_t work);

/* What a call that synchronizes with a stream or an event waited for.  row: the call's row of trace.syncs.  NONE if the
 * call records an event or tells a stream to wait. */
depends_found depends_sync(const depends *d, size_t row);

/* The number of waits of streams for events, and how many of them have a record in the trace. */
const wait_counts *depends_counts(const depends *d);
