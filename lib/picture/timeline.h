/*
 * timeline - what happens in some windows of a trace, as tracks: rows of events to be drawn one below the other.
 *
 *     timeline *tl = timeline_build(t, all, AROUND_WORK);        // NULL after a problem
 *     for (size_t k = 0; tl && k < tl->tracks.n; k++)
 *         for (size_t i = 0; i < tl->tracks.v[k].events.n; i++)
 *             printf("%lld\n", (long long)timeline_span(tl, &tl->tracks.v[k], i).a);
 *     if (tl)
 *         timeline_free(tl);
 *
 * The windows of a process count as one: an event that is in several of them is
 * there once, cut to them.  Within a track, events of one level do not overlap, but
 * those for which there is no free level share the last one.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/memory.h"
#include "relate/idle_causes.h"
#include "relate/ranges_around.h"
#include "picture/shown.h"
#include "trace/memory_events.h"

enum {                          /* what must be loaded */
	TIMELINE_NEED = TRACE_WORK | TRACE_LAUNCH | TRACE_CALLS | TRACE_CALL_TIMES | TRACE_CALL_NAMES | TRACE_RANGES | TRACE_MARKS |
		TRACE_OS | TRACE_METRICS | TRACE_SYNCS
};

enum { TIMELINE_LEVELS = 32 };  /* at most in a track, so that it fits a screen */

enum timeline_kind {
	TIMELINE_IDLE,          /* a lane's idle time; events are numbers of parts */
	TIMELINE_WORK,          /* the work of a stream, or of several that share the track */
	TIMELINE_RANGES,        /* push/pop ranges of a thread; the level is the depth */
	TIMELINE_STARTEND,      /* start/end ranges of a thread */
	TIMELINE_CALLS, TIMELINE_MARKS, TIMELINE_OS
};

typedef struct {
	enum timeline_kind kind;
	uint32_t proc;
	uint32_t lane;          /* idle time and work */
	uint32_t stream;        /* work: NONE if several share it, */
	size_t streams;         /* and how many do */
	uint32_t thread;        /* the others */
	vec(uint32_t) events;   /* by start: indices into the arrays of the trace */
	vec(uint32_t) levels;   /* by event, from 0 */
	size_t crowded;         /* how many share the last level */
} timeline_track;

typedef struct {                /* a part of a gap in the windows */
	int64_t a, b;
	enum idle_cause cause;
	uint32_t gap;
} timeline_part;

typedef struct {                /* a gap, cut to the windows; texts are strings of the trace */
	ival at;
	enum idle_cause cause;
	bool synced;
	uint32_t api, nvtx;
	uint32_t prev, next;    /* work, or NONE */
} timeline_gap;

typedef struct {                /* a value over time */
	uint32_t proc;          /* NONE: that of a GPU, not of a process */
	int64_t gpu;
	uint32_t name;          /* string */
	bool bytes;             /* memory, not a metric */
	bool hertz;             /* stored in hertz, though the name says [MHz] */
	vec(ival) at;           /* when it holds, */
	vec(int64_t) values;
} timeline_counter;

typedef struct {
	trace *t;
	shown *shown;           /* the windows */
	ival hull;              /* of all of them */
	around *around;
	idle_causes *idle;
	memory_events memory;
	vec(timeline_track) tracks;     /* by process, lane, stream, thread; none is empty */
	vec(timeline_counter) counters; /* those of processes, then those of GPUs */
	vec(timeline_part) parts;
	vec(timeline_gap) gaps;
	size_t events;          /* how many there are in all, with */
	size_t stretches, values;       /* parts of gaps and gaps, and values of counters */
} timeline;

/* what: the ranges around work, AROUND_WORK or more.  Needs TIMELINE_NEED, and what that needs; all must outlive it.  May
 * add names to the trace.  NULL after a problem. */
timeline *timeline_build(trace *t, const windows *all, unsigned what);
void timeline_free(timeline *tl);

/* Event number i of a track; and cut to the windows. */
ival timeline_whole(const timeline *tl, const timeline_track *k, size_t i);
ival timeline_span(const timeline *tl, const timeline_track *k, size_t i);

#endif
