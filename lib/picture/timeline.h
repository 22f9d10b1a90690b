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
 * An event in several windows of a process is drawn once, cut to these windows.  Within a track, events of one level do
 * not overlap, with two exceptions: the last level also holds all events for which no level was free, and events of
 * TIMELINE_NESTED contain each other.  view_page and export_events write a timeline.  Whoever built it frees it, and
 * the trace and windows must outlive it.
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

typedef struct {
	ival_set parts;         /* the union of the windows; empty if nothing is shown */
	vec(const ival_set *) each;     /* with --inside: each window, because an event must lie inside one of them */
} shown_side;

typedef struct {
	shown_side *lanes;      /* by lane: the GPU times of its windows */
	shown_side *procs;      /* by process: the CPU times of its windows */
	size_t nlanes, nprocs;
} shown;

/* `all` must outlive the result. */
shown *shown_build(const trace *t, const windows *all);
void shown_free(shown *s);

/* The part shown by the windows for which `take` returns true.  cpu: their CPU sides; false: their GPU sides. */
shown_side shown_of(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx), const void *ctx);
void shown_side_free(shown_side *s);

bool shown_has(const shown_side *s, int64_t start, int64_t end);

/* Small streams do hardly any work and share a row of a picture; CUDA graphs leave hundreds of them.  A stream is small
 * if it has less than a hundredth of its lane's work time and is not among the SMALL_OWN streams with the most.  A lane
 * with only one such stream has no small streams. */
enum { SMALL_OWN = 8 };

typedef struct {
	size_t first, n;        /* the streams of the lane, in the trace's order */
	bool *small;            /* by stream, counted from `first` */
	size_t shared;          /* the number of small streams */
} small_streams;

small_streams small_streams_find(const trace *t, size_t lane, const shown_side *side);
void small_streams_free(small_streams *k);

/* ---- the timeline */

enum {
	TIMELINE_LEVELS = 32,   /* the most levels of a track, so that it fits a screen */
	TIMELINE_ROWS = 16      /* the most levels of a track that become rows of Perfetto; arrows lead only to these */
};

enum timeline_kind {
	TIMELINE_IDLE,          /* a lane's idle time; events are indices of `parts` */
	TIMELINE_EXPOSED,       /* a lane's communication that no compute hides; events are indices of `spans` */
	TIMELINE_PROJECTED,     /* the GPU side of push/pop ranges in a lane; events are indices of `spans` */
	TIMELINE_WORK,          /* the work of a stream, or of several that share the track */
	TIMELINE_RANGES,        /* push/pop ranges of a thread; the level is the depth */
	TIMELINE_STARTEND,      /* start/end ranges of a thread */
	TIMELINE_CALLS, TIMELINE_MARKS, TIMELINE_OS, TIMELINE_MPI,
	TIMELINE_NESTED,        /* push/pop ranges and calls of a thread, outer before inner; see timeline_is_call */
	TIMELINE_KINDS
};

enum {                          /* the kinds of tracks in a page and in a file for Perfetto, and their needs */
	TIMELINE_COMPUTED = 1 << TIMELINE_IDLE | 1 << TIMELINE_EXPOSED | 1 << TIMELINE_PROJECTED,
	TIMELINE_PAGE = TIMELINE_COMPUTED | 1 << TIMELINE_WORK |
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
	uint32_t lane;          /* for kinds up to TIMELINE_WORK */
	uint32_t stream;        /* for TIMELINE_WORK; NONE: several streams share the track */
	size_t streams;         /* the number of streams that share the track */
	uint32_t thread;        /* for kinds after TIMELINE_WORK */
	timeline_events events; /* in order of start: indices into the array of the kind, which is one of the trace's,
				 * `parts` or `spans`; with the bit TIMELINE_BUNDLE, into `bundles` */
	vec(uint32_t) levels;   /* by event, from 0; TIMELINE_NESTED: 1 for an event that begins inside another one and
				 * ends after it, otherwise 0 */
	size_t crowded;         /* the number of events that overlap others on the last level */
} timeline_track;

typedef struct {                /* a part of a gap that has one cause, cut to the windows */
	int64_t a, b;
	enum owner cause;
	uint32_t gap;           /* index in `gaps` */
} timeline_part;

typedef struct {                /* a gap, cut to the windows; texts are strings of the trace */
	ival at;
	enum owner cause;
	bool synced;
	uint32_t api, nvtx;
	uint32_t prev, next;    /* the work before and after the gap, or NONE */
} timeline_gap;

typedef struct {                /* an event of TIMELINE_PROJECTED or TIMELINE_EXPOSED */
	ival at;
	uint32_t of;            /* TIMELINE_PROJECTED: the range; TIMELINE_EXPOSED: the work that takes most of the
				 * time */
} timeline_span;

#define TIMELINE_BUNDLE 0x80000000u

typedef struct {                /* neighbouring events that timeline_thin merged */
	ival at;
	uint32_t of;            /* the longest event */
	uint32_t n;             /* the number of events */
	int64_t longest;        /* the duration of the longest event, ns */
	int64_t busy;           /* the sum of the durations of all events, ns */
} timeline_bundle;

typedef struct {                /* a value over time */
	uint32_t proc;          /* NONE: the counter belongs to a GPU */
	int64_t gpu;
	uint32_t name;          /* a string of the trace */
	bool bytes;             /* memory, not a metric */
	bool hertz;             /* stored in hertz, although the name says [MHz] */
	vec(ival) at;           /* when each value holds; empty: the counter has no value in the windows */
	vec(int64_t) values;
	vec(int64_t) since;     /* the first moment of each value in any window; `at` is only about one part of the
				 * windows */
} timeline_counter;

typedef struct {                /* an index of events by time, so that many windows are counted fast */
	overlap_index at;
	uint32_t *track, *event;        /* by number in the index */
} timeline_times;

typedef struct {
	trace *t;
	const windows *all;
	shown *shown;           /* what the windows show; if idle time is drawn, lanes are cut to the time from the
				 * first to the last CUDA or NVTX event */
	ival hull;              /* the hull of all windows */
	const around *around;
	const idle_causes *idle; /* NULL: no idle time is drawn */
	owners_params of;
	idle_owners *owners;     /* NULL: no idle time is drawn */
	memory_events memory;
	gpu_numbers numbers;
	vec(timeline_track) tracks;     /* by process, lane, stream, thread; none is empty */
	vec(timeline_counter) counters; /* the counters of processes, then the counters of GPUs */
	vec(timeline_part) parts;
	vec(timeline_gap) gaps;
	vec(timeline_span) spans;
	vec(timeline_bundle) bundles;
	uint32_t *track;        /* by work: its track, or NONE */
	uint32_t *level;        /* by work: its level in the track */
	uint32_t *depth;        /* by push/pop range: the length of its chain of parents, which is more than the number
				 * of open ranges if ranges cross */
	bool *drawn;            /* by call: is it in a TIMELINE_NESTED track, with level 0? */
	timeline_times times[2];        /* [0]: of work, [1]: of events of threads; made if there are many windows */
	bool timed;             /* `times` was made */
	bool whole_steps;       /* timeline_thin left the times of `keep` as they were */
	size_t kept;            /* the number of events that timeline_thin left */
	size_t events;          /* the number of events, parts of gaps, gaps, and values of counters */
} timeline;

/* what: for around_of, AROUND_WORK or more.  kinds: TIMELINE_PAGE or TIMELINE_FILE, perhaps without TIMELINE_COMPUTED.
 * TIMELINE_NEEDS must be loaded.  May add names to the trace.  NULL after a problem. */
timeline *timeline_build(trace *t, const windows *all, unsigned what, unsigned kinds);
void timeline_free(timeline *tl);        /* NULL is allowed */

/* Reduce the timeline to `most` events.  Time is divided into cells, and neighbouring events of a level are merged if
 * they are shorter than a cell and start in the same one; values of counters likewise.  Events in the times of `keep`
 * stay as they are, unless they alone are more than half of `most`.  Returns the size of a cell in ns; 0: everything
 * fits. */
int64_t timeline_thin(timeline *tl, size_t most, const ival_set *keep);

/* The time of event i of a track, whole or cut to the windows. */
ival timeline_whole(const timeline *tl, const timeline_track *k, size_t i);
ival timeline_cut(const timeline *tl, const timeline_track *k, size_t i);

/* Is a nested event a call?  Sets its index among calls if it is one, otherwise among push/pop ranges. */
bool timeline_is_call(uint32_t event, size_t *index);

/* The start and end of the arrow from a launching call to its work, if nested events are drawn.  False if the call is
 * not shown or crosses another event (level 1), if the work is not shown or its level is TIMELINE_ROWS or more, or if
 * the work ends before the call begins, which happens when clocks differ. */
bool timeline_arrow(const timeline *tl, size_t work, ival *arrow);

/* Count the pieces of work and the events of threads in a window, by kind; nested ones count as ranges or calls. */
void timeline_count(timeline *tl, const window *w, size_t n[TIMELINE_KINDS]);

/* The number of samples of metrics, allocations and frees in a window. */
size_t timeline_count_values(const timeline *tl, const window *w);
