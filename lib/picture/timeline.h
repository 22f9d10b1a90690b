/*
 * timeline - what nsq-view and nsq-export draw of some windows of a trace: tracks of events one below the other,
 * counters, and the arrows from calls to the work that they launched.
 *
 *     timeline *tl = timeline_build(t, all, AROUND_WORK, TIMELINE_PAGE);         // NULL after a problem
 *     for (size_t k = 0; tl && k < tl->tracks.n; k++)
 *         for (size_t i = 0; i < tl->tracks.v[k].events.n; i++)
 *             printf("%lld\n", (long long)timeline_span(tl, &tl->tracks.v[k], i).a);
 *     timeline_free(tl);
 *
 * The windows of a process count as one: an event that is in several of them is there once, cut to them.  Within a
 * track, events of one level do not overlap, but those for which there is no free level share the last one.
 * view_page and export_events write it; it belongs to whoever built it, and what it is built from must outlive it.
 */
#pragma once

#include "base/memory.h"
#include "step/idle_owners.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"
#include "trace/gpu_cards.h"
#include "trace/memory_events.h"

/* ---- what several windows show together, each event once.  An event is shown if it counts in one of the windows; what
 * is shown of it reaches from its first to its last moment in any of them. */

typedef struct {
	ival_set parts;         /* the union of a side of the windows; n is 0 where nothing is shown */
	vec(const ival_set *) each;     /* with --inside, that side of each window: events must be inside one */
} shown_side;

typedef struct {
	shown_side *lanes;      /* by lane: the GPU sides of the windows that it is in */
	shown_side *procs;      /* by process: the CPU sides */
	size_t nlanes, nprocs;
} shown;

/* all must outlive it. */
shown *shown_build(const trace *t, const windows *all);
void shown_free(shown *s);

/* The same for any other choice of windows: those for which take says so. */
shown_side shown_of(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx), const void *ctx);
void shown_side_free(shown_side *s);

bool shown_has(const shown_side *s, int64_t start, int64_t end);

/* Streams that do hardly any work, and so share a row of a picture: CUDA graphs leave hundreds of them.  Of more than
 * SMALL_OWN streams of a lane, those with less than a hundredth of its work time, though never the SMALL_OWN with the
 * most.  One alone has nobody to share with. */
enum { SMALL_OWN = 8 };

typedef struct {
	size_t first, n;        /* the streams of the lane, in the trace's order */
	bool *small;            /* by stream, from first on */
	size_t shared;          /* how many are */
} small_streams;

small_streams small_find(const trace *t, size_t lane, const shown_side *side);
void small_free(small_streams *k);

/* ---- the timeline */

enum {
	TIMELINE_LEVELS = 32,   /* at most in a track, so that it fits a screen, */
	TIMELINE_ROWS = 16      /* and as tracks of Perfetto, to which arrows lead */
};

enum timeline_kind {
	TIMELINE_IDLE,          /* a lane's idle time; events are numbers of parts */
	TIMELINE_EXPOSED,       /* its communication that no compute hides, */
	TIMELINE_PROJECTED,     /* and the GPU side of push/pop ranges; events of both are numbers of spans */
	TIMELINE_WORK,          /* the work of a stream, or of several that share the track */
	TIMELINE_RANGES,        /* push/pop ranges of a thread; the level is the depth */
	TIMELINE_STARTEND,      /* start/end ranges of a thread */
	TIMELINE_CALLS, TIMELINE_MARKS, TIMELINE_OS, TIMELINE_MPI,
	TIMELINE_NESTED,        /* push/pop ranges and calls of a thread, outer before inner; see timeline_call */
	TIMELINE_KINDS
};

enum {                          /* the kinds that a page and a file for Perfetto have, and what these need loaded */
	TIMELINE_FOUND = 1 << TIMELINE_IDLE | 1 << TIMELINE_EXPOSED | 1 << TIMELINE_PROJECTED,     /* no events */
	TIMELINE_PAGE = TIMELINE_FOUND | 1 << TIMELINE_WORK |
		1 << TIMELINE_RANGES | 1 << TIMELINE_STARTEND | 1 << TIMELINE_CALLS | 1 << TIMELINE_MARKS |
		1 << TIMELINE_OS | 1 << TIMELINE_MPI,
	TIMELINE_FILE = (TIMELINE_PAGE & ~(1 << TIMELINE_RANGES | 1 << TIMELINE_CALLS)) | 1 << TIMELINE_NESTED,
	TIMELINE_NEEDS = TRACE_WORK | TRACE_LAUNCH | TRACE_CALLS | TRACE_RANGES | TRACE_METRICS | TRACE_MARKS |
		TRACE_OS | TRACE_MPI_SPAN | TRACE_SYNCS
};

typedef vec(uint32_t) timeline_events;

typedef struct {
	enum timeline_kind kind;
	uint32_t proc;
	uint32_t lane;          /* up to work */
	uint32_t stream;        /* work: NONE if several share it, */
	size_t streams;         /* and how many do */
	uint32_t thread;        /* the others */
	timeline_events events; /* by start: indices into the arrays of the trace; with TIMELINE_BUNDLE, of bundles */
	vec(uint32_t) levels;   /* by event, from 0; of nested ones 1: it begins inside another and ends after that */
	size_t crowded;         /* how many share the last level */
} timeline_track;

typedef struct {                /* a part of a gap in the windows */
	int64_t a, b;
	enum owner cause;
	uint32_t gap;
} timeline_part;

typedef struct {                /* a gap, cut to the windows; texts are strings of the trace */
	ival at;
	enum owner cause;
	bool synced;
	uint32_t api, nvtx;
	uint32_t prev, next;    /* work, or NONE */
} timeline_gap;

typedef struct {
	ival at;
	uint32_t of;            /* the range, or the work with most of the exposed communication */
} timeline_stretch;

#define TIMELINE_BUNDLE 0x80000000u

typedef struct {                /* neighbours that timeline_thin made one */
	ival at;
	uint32_t of, n;         /* the longest, and how many there are */
	int64_t longest, busy;  /* how long that is, and all together */
} timeline_bundle;

typedef struct {                /* a value over time */
	uint32_t proc;          /* NONE: that of a GPU, not of a process */
	int64_t gpu;
	uint32_t name;          /* string */
	bool bytes;             /* memory, not a metric */
	bool hertz;             /* stored in hertz, though the name says [MHz] */
	vec(ival) at;           /* when it holds; none: it has no value in the windows */
	vec(int64_t) values;
	vec(int64_t) since;     /* when it begins to hold, in any of the windows */
} timeline_counter;

typedef struct {                /* events of tracks in order of time, which many windows are looked up in */
	overlap_index at;
	uint32_t *track, *event;        /* by number there */
} timeline_times;

typedef struct {
	trace *t;
	const windows *all;
	shown *shown;           /* the windows; where idle time is drawn, lanes end where CUDA and NVTX do */
	ival hull;              /* of all of them */
	const around *around;
	const idle_causes *idle; /* NULL: no idle time is drawn */
	owners_params of;
	idle_owners *owners;     /* as is this */
	memory_events memory;
	gpu_numbers numbers;
	vec(timeline_track) tracks;     /* by process, lane, stream, thread; none is empty */
	vec(timeline_counter) counters; /* those of processes, then those of GPUs */
	vec(timeline_part) parts;
	vec(timeline_gap) gaps;
	vec(timeline_stretch) spans;
	vec(timeline_bundle) bundles;
	uint32_t *track;        /* by work: its track, or NONE, */
	uint32_t *level;        /* and its level there */
	uint32_t *depth;        /* by push/pop range: in how many others it is */
	bool *drawn;            /* by call: is it nested? */
	timeline_times times[2];        /* of work, and of threads: where windows are many, */
	bool timed;             /* once they were counted */
	bool whole_steps;       /* what timeline_thin was to keep was not too much */
	size_t kept;            /* how many are left after it, of */
	size_t events;          /* how many there are in all, with parts of gaps, gaps, and values of counters */
} timeline;

/* what: the ranges around work, AROUND_WORK or more.  kinds: of tracks, TIMELINE_PAGE or TIMELINE_FILE, whose needs
 * must be loaded.  May add names to the trace.  NULL after a problem. */
timeline *timeline_build(trace *t, const windows *all, unsigned what, unsigned kinds);
void timeline_free(timeline *tl);        /* NULL is allowed */

/* Make it fit: where there are more than `most`, neighbours on a level that are shorter than a cell and start in the
 * same one become one, and so do values of counters; but not what lies in `keep`, unless that is too much itself.
 * Returns the size of a cell in ns; 0: all of it fits. */
int64_t timeline_thin(timeline *tl, size_t most, const ival_set *keep);

/* Event number i of a track; and cut to the windows. */
ival timeline_whole(const timeline *tl, const timeline_track *k, size_t i);
ival timeline_span(const timeline *tl, const timeline_track *k, size_t i);

/* Is a nested event a call?  Then sets its index among calls, else among push/pop ranges. */
bool timeline_call(uint32_t event, size_t *index);

/* The arrow from the call that launched a piece of work, if nested events are drawn: from when to when.  False if
 * either is not shown, overlaps too many others, or the work is over when the call begins, as clocks that differ can
 * make it. */
bool timeline_arrow(const timeline *tl, size_t work, ival *arrow);

/* How many events of threads and pieces of work are in a window, by kind; nested ones count as ranges and calls. */
void timeline_count(timeline *tl, const window *w, size_t n[TIMELINE_KINDS]);

/* How many samples of metrics, allocations and frees are in a window. */
size_t timeline_values(const timeline *tl, const window *w);
