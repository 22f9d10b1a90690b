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
 * Work runs after all work that was launched before it on its stream, and after every event that the stream was told to
 * wait for before the launch.  A process, a context and a number identify a stream.  An event is recorded on a stream.
 * It is complete when two things are complete: the work launched on that stream before the record, and the events that
 * the stream had been told to wait for by then.  Of all that the work waited for, only the work that ends last counts.
 * A stream may wait for an event and record another one without any work in between; then the work behind the first
 * event counts.
 *
 * Work was launched before other work if its call starts earlier; pieces that one call launches count in order of
 * start.  Work that follows a replay of a CUDA graph, on a stream that ran one of its nodes, runs after the whole
 * replay.  The trace does not say which node of a replay a node waited for, so nsq takes the node of the same replay
 * that ended last before the waiting node started.  Work whose launch is not in the trace counts as launched before
 * everything that its stream ran after it.  What such work waited for is unknown, and so is what work on an unknown
 * stream waited for.
 *
 * If several threads make the calls, an event may be recorded after the call that waits for it began.  The wait is then
 * a wait for that record, unless the waiting stream was given work before the record.
 *
 * One pass goes over all calls in order, so its time does not depend on the length of chains of events.
 */
#pragma once

#include "launch/launched.h"
#include "launch/wait_counts.h"

typedef struct {
	uint32_t work;          /* among the work that had to end, the piece that ends last; or NONE */
	bool unresolved;        /* the trace does not say all: the record of an event, or the stream, is unknown */
} depends_found;

typedef struct {                /* an event that a stream was told to wait for */
	uint32_t waiter;        /* the next work launched on the stream, which had to wait */
	depends_found on;       /* what had to end before the event was complete */
	bool more;              /* the next element is a wait of the same work */
} depends_wait;

typedef struct depends depends;

const depends *depends_of(trace *t);

/* The previous work on the same stream: among the work launched there before, the piece that ends last; NONE: there is
 * none.  If the stream ran a node of a graph's replay before, all nodes of that replay count as launched there.  If the
 * piece that ends last starts after this work, the piece that was launched last counts instead. */
uint32_t depends_previous(const depends *d, size_t work);

/* The node of the same replay that ended last before the work started (launched_find_replayed); or NONE. */
uint32_t depends_replayed(const depends *d, size_t work);

/* The events that the work's stream was told to wait for between the launch of the previous work there and the launch
 * of this work, in the order of the calls; NULL: none. */
const depends_wait *depends_waits(const depends *d, size_t work);

static inline const depends_wait *depends_next(const depends_wait *w)
{
	return w->more ? w + 1 : NULL;
}

/* Is the stream of the work known, and had the stream been told to wait for no event? */
bool depends_on_stream_only(const depends *d, size_t work);

/* Is the stream of the work unknown? */
bool depends_streamless(const depends *d, size_t work);

/* The producer of the work: among the results of depends_replayed, depends_previous and depends_waits, the piece that
 * ends last.  At equal ends, the earlier function of this list counts, and among several waits the piece that is first
 * in trace.work.  unresolved: one of the waits is unresolved, or the stream is unknown; a missing launch of the work
 * does not set it.  A piece that starts later than this work is left out. */
depends_found depends_producer(const depends *d, size_t work);

/* What a call that synchronizes with a stream or an event waited for.  row: the call's row of trace.syncs.  For the row
 * of a call that records an event or tells a stream to wait, the work is NONE. */
depends_found depends_sync(const depends *d, size_t row);

/* How many waits of streams for events there are, and how many of them have a record in the trace. */
const wait_counts *depends_counts(const depends *d);
