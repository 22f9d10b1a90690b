/*
 * timeline - what nsq-view and nsq-export draw of some windows of a trace: tracks of events one below the other,
 * counters, and the arrows from calls to the work that they launched.
 *
 *     timeline *tl = timeline_build(t, all, AROUND_WORK, TIMELINE_PAGE); // NULL after a problem
 *     for (size_t k = 0; tl && k < tl->tracks.n; k++)
 *         for (size_t i = 0; i < tl->tracks.v[k].events.n; i++)
 *             printf("%lld\n", (long long)timeline_cut(tl, &tl->tracks.v[k], i).a);
 *     timeline_free(tl);
 *
 * An event in several windows of a process is drawn once, cut to these windows.  A track has levels, one below the
 * other, numbered from 0.  Events of one level do not overlap, with two exceptions: the last level also holds all
 * events for which no level was free, and in a track of TIMELINE_NESTED an event may contain others of its level.
 *
 * view_page and export_events write a timeline.  Whoever built it frees it, and the trace and windows must outlive it.
 */
#pragma once

#include "base/memory.h"
#include "step/idle_owners.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"
#include "trace/gpu_cards.h"
#include "trace/memory_events.h"

/* ---- the part of a trace that several windows show together.  An event is shown once if it counts in any of the
 * windows.  It is drawn from its first to its last moment inside the windows. */

typedef struct {                /* the times in which events are shown */
	ival_set parts;         /* the union of the windows' times; empty if nothing is shown */
	vec(const ival_set *) each;     /* with --inside: the times of each window, because an event must lie inside
					 * one of them; otherwise empty */
} shown_times;

typedef struct {
	shown_times *lanes;      /* for each lane, the work of one process on one GPU (trace_lane): the times of its
				  * windows on the GPU */
	shown_times *procs;      /* for each process: the times of its windows on the CPU */
	size_t nlanes, nprocs;
} shown;

/* Find what the windows show of each lane and process.  `all` must outlive the result. */
shown *shown_build(const trace *t, const windows *all);
void shown_free(shown *s);

/* The times of the windows for which `take` returns true.  cpu: their times on the CPU; false: on the GPU. */
shown_times shown_times_build(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx),
	const void *ctx);
void shown_times_free(shown_times *s);

/* Is an event from start to end shown? */
bool shown_has(const shown_times *s, int64_t start, int64_t end);

/* Small streams do hardly any work and share a row of a picture; CUDA graphs leave hundreds of them.  A stream with
 * work is small if it has less than a hundredth of its lane's work time and is not among the SMALL_OWN streams with
 * the most work time.  If only one stream of a lane is like that, it does not count as small. */
enum { SMALL_OWN = 8 };

typedef struct {
	size_t first, n;        /* the lane's streams are n elements of trace.streams, from index `first` on */
	bool *small;            /* for each of these streams: is it small? */
	size_t shared;          /* the number of small streams */
} small_streams;

/* Find the small streams of a lane.  side: the times in which the lane is shown. */
small_streams small_streams_find(const trace *t, size_t lane, const shown_times *side);
void small_streams_free(small_streams *k);

/* ---- the timeline */

enum {
	TIMELINE_LEVELS = 32,   /* the number of levels of a track, few enough to fit a screen */
	TIMELINE_ROWS = 16      /* the number of levels of a track that become rows of Perfetto; arrows lead only to
				 * these */
};

enum timeline_kind {
	TIMELINE_IDLE,          /* a lane's idle time; events are indices of timeline.parts */
	TIMELINE_EXPOSED,       /* a lane's communication that no compute hides; events are indices of timeline.spans */
	TIMELINE_PROJECTED,     /* push/pop ranges on the GPU (gpu_sides.h); events are indices of timeline.spans */
	TIMELINE_WORK,          /* the work of a stream, or of several streams that share the track */
	TIMELINE_RANGES,        /* push/pop ranges of a thread; the level is the depth */
	TIMELINE_STARTEND,      /* start/end ranges of a thread */
	TIMELINE_CALLS, TIMELINE_MARKS, TIMELINE_OS, TIMELINE_MPI,
	TIMELINE_NESTED,        /* push/pop ranges and calls of a thread, outer ones before inner ones;
				 * timeline_is_call tells which */
	TIMELINE_KINDS
};

enum {                          /* sets of kinds of tracks (1 << kind), and what must be loaded for them */
	/* the tracks whose events are computed, because the trace does not hold them */
	TIMELINE_COMPUTED = 1 << TIMELINE_IDLE | 1 << TIMELINE_EXPOSED | 1 << TIMELINE_PROJECTED,
	/* the tracks of a page */
	TIMELINE_PAGE = TIMELINE_COMPUTED | 1 << TIMELINE_WORK |
		1 << TIMELINE_RANGES | 1 << TIMELINE_STARTEND | 1 << TIMELINE_CALLS | 1 << TIMELINE_MARKS |
		1 << TIMELINE_OS | 1 << TIMELINE_MPI,
	/* the tracks of a file for Perfetto */
	TIMELINE_FILE = (TIMELINE_PAGE & ~(1 << TIMELINE_RANGES | 1 << TIMELINE_CALLS)) | 1 << TIMELINE_NESTED,
	/* what must be loaded of a trace (TRACE_...) */
	TIMELINE_NEEDS = TRACE_WORK | TRACE_LAUNCH | TRACE_CALLS | TRACE_RANGES | TRACE_METRICS | TRACE_MARKS |
		TRACE_OS | TRACE_MPI_SPAN | TRACE_SYNCS
};

typedef vec(uint32_t) timeline_events;

typedef struct {
	enum timeline_kind kind;
	uint32_t proc;          /* index into trace.procs, as `lane`, `stream` and `thread` are into their arrays */
	uint32_t lane;          /* its lane, for kinds up to TIMELINE_WORK; otherwise NONE */
	uint32_t stream;        /* its stream, for TIMELINE_WORK; NONE: several streams share the track */
	size_t streams;         /* for TIMELINE_WORK: the number of streams of the track */
	uint32_t thread;        /* its thread, for kinds after TIMELINE_WORK; otherwise NONE */
	timeline_events events; /* in order of start.  An event is an index into the trace's array of the kind, or into
				 * timeline.parts or .spans; with the bit TIMELINE_BUNDLE, into timeline.bundles;
				 * for TIMELINE_NESTED see timeline_is_call */
	vec(uint32_t) levels;   /* for each event: its level, from 0; for TIMELINE_NESTED: 1 if the event begins inside
				 * another one and ends after it, otherwise 0 */
	size_t crowded;         /* the number of events on the last level for which no level was free */
} timeline_track;

typedef struct {                /* a part of a gap (below) with one cause, cut to the windows: from a to b */
	int64_t a, b;
	enum owner cause;       /* the owner of the idle time */
	uint32_t gap;           /* index of the gap in timeline.gaps */
} timeline_part;

typedef struct {                /* a gap, in which no work runs on a lane (lane_gaps.h), cut to the windows */
	ival at;
	enum owner cause;       /* the owner with the most time in the gap (idle_judged) */
	bool synced;            /* did the gap begin while the CPU waited for the GPU? */
	uint32_t api;           /* string of the trace: the CUDA call that takes most of this owner's time
				 * (idle_judged.api); STR_NONE: none */
	uint32_t nvtx;          /* string of the trace: the innermost range of the launching thread around most of
				 * the gap (idle_range); STR_NONE: none */
	uint32_t prev;          /* the work before the gap, or NONE */
	uint32_t next;          /* the work after the gap, or NONE */
} timeline_gap;

typedef struct {                /* an event of TIMELINE_PROJECTED or TIMELINE_EXPOSED */
	ival at;
	uint32_t of;            /* TIMELINE_PROJECTED: the range; TIMELINE_EXPOSED: the communication that takes most
				 * of the time */
} timeline_span;

#define TIMELINE_BUNDLE 0x80000000u

typedef struct {                /* neighbouring events that timeline_thin merged */
	ival at;
	uint32_t longest;       /* the longest of these events, as in timeline_track.events */
	uint32_t n;             /* the number of events */
	int64_t longest_ns;     /* the duration of the longest event */
	int64_t busy;           /* the sum of the durations of these events, ns */
} timeline_bundle;

typedef struct {                /* a counter: a number that changes over time */
	uint32_t proc;          /* its process; NONE: metrics of a GPU, or memory of a process without other events */
	int64_t gpu;
	uint32_t name;          /* its name, a string of the trace */
	bool bytes;             /* the values are bytes of memory; false: they are samples of a metric */
	bool hertz;             /* the values are in hertz, although the name says [MHz] */
	vec(ival) at;           /* for each value: when it holds, cut to one part of the windows; empty: the counter has
				 * no value in the windows */
	vec(int64_t) values;    /* the values */
	vec(int64_t) since;     /* for each value: the start of its `at`.  For a sample: the first moment in the windows
				 * after the previous sample; that moment may lie in an earlier part than `at` */
} timeline_counter;

typedef struct {                /* an index of events by time, so that many windows are counted fast */
	overlap_index at;       /* the times of the events */
	uint32_t *track;        /* for each event, by its number in `at`: its track */
	uint32_t *event;        /* for each event, by its number in `at`: its index in the track */
} timeline_time_index;

typedef struct {
	trace *t;
	const windows *all;     /* the windows that the timeline is about */
	shown *shown;           /* what the windows show.  If idle time is drawn, only the time from the first to the
				 * last CUDA or NVTX event is shown of lanes */
	ival hull;              /* the time from the first to the last window */
	const around *around;    /* the ranges around work, as timeline_build was told */
	const idle_causes *idle; /* NULL: no idle time is drawn */
	owners_params of;        /* the parameters of `owners` */
	idle_owners *owners;     /* NULL: no idle time is drawn */
	memory_events memory;
	gpu_numbers numbers;
	vec(timeline_track) tracks;     /* in order of process; in a process, the tracks of lanes come before those
					 * of threads; none is empty */
	vec(timeline_counter) counters; /* the counters of processes, then the counters of GPUs */
	vec(timeline_part) parts;
	vec(timeline_gap) gaps;
	vec(timeline_span) spans;
	vec(timeline_bundle) bundles;
	uint32_t *track;        /* for each piece of work: its track, or NONE */
	uint32_t *level;        /* for each piece of work: its level in its track */
	uint32_t *depth;        /* for each push/pop range: the number of its parents, up to the outermost.  If ranges
				 * cross, this is more than the number of ranges that are open around it */
	bool *arrow_calls;      /* for each call: is it in a TIMELINE_NESTED track, on level 0, so that an arrow may
				 * begin at it? */
	timeline_time_index times[2];        /* [0]: events of streams, [1]: events of threads; made if there are
					 * many windows */
	bool timed;             /* `times` were made */
	bool whole_steps;       /* timeline_thin merged no events in the times of its parameter `keep` */
	size_t kept;            /* the number of events, gaps and values that are left after timeline_thin */
	size_t events;          /* the number of events of tracks, of gaps, and of values of counters, before
				 * timeline_thin */
} timeline;

/* Build the timeline of some windows.  what: AROUND_..., for around_of.  kinds: TIMELINE_PAGE or TIMELINE_FILE, or
 * one of these without TIMELINE_COMPUTED.  TIMELINE_NEEDS must be loaded.  May add names to the trace.  NULL after a
 * problem. */
timeline *timeline_build(trace *t, const windows *all, unsigned what, unsigned kinds);
void timeline_free(timeline *tl);        /* NULL is allowed */

/* Reduce the timeline to about `most` events, if it has more.  Time is divided into cells of a power of two ns.
 * Neighbouring events of a level are merged if they are shorter than a cell and start in the same one; values of
 * counters are merged if they start in the same cell.  Events in the times of `keep` stay as they are, unless they
 * alone are more than half of `most`.  Returns the size of a cell in ns; 0: nothing was merged. */
int64_t timeline_thin(timeline *tl, size_t most, const ival_set *keep);

/* The time of event i of a track.  timeline_cut: the same time, cut to the windows. */
ival timeline_whole(const timeline *tl, const timeline_track *k, size_t i);
ival timeline_cut(const timeline *tl, const timeline_track *k, size_t i);

/* Is an event of TIMELINE_NESTED a call?  *index: its index among the calls or, if it is none, among the push/pop
 * ranges. */
bool timeline_is_call(uint32_t event, size_t *index);

/* Find the start and end of the arrow from a launching call to its work, if TIMELINE_NESTED is drawn.  False: there
 * is no call; the call is not shown or crosses another event (level 1); the work is not shown, or its level is
 * TIMELINE_ROWS or more; or the work ends before the call begins, which happens when clocks differ. */
bool timeline_arrow(const timeline *tl, size_t work, ival *arrow);

/* Count the pieces of work and the events of threads in a window, and add the numbers to n, by kind.  Events of
 * TIMELINE_NESTED count as TIMELINE_RANGES or TIMELINE_CALLS. */
void timeline_count(timeline *tl, const window *w, size_t n[TIMELINE_KINDS]);

/* Count the samples of metrics, the allocations and the frees in a window. */
size_t timeline_count_values(const timeline *tl, const window *w);
