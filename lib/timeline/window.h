/*
 * window - the part of a trace that a question is about.
 *
 *     windows all = window_resolve(t, NULL, &(window_filter){ .pid = -1, .gpu = -1 }, WINDOW_GPU_WORK, say);
 *     for (size_t i = 0; i < all.n; i++)
 *         if (window_has(&all.v[i], &all.v[i].gpu, 100, 200))
 *             printf("%lld\n", (long long)ival_within(&all.v[i].gpu, 100, 200));
 *     window_free(&all);
 *
 * A window has a GPU side, which selects GPU work, and a CPU side, which selects API calls, what threads do, and the
 * counts and CPU times of ranges.  A side of a merged window has several parts.  Its start and end are those of the
 * hull of the parts, but its length is that of the parts.  share/conventions.md says when an event is in a window.
 */
#pragma once

#include "base/interval.h"
#include "timeline/overlap_index.h"
#include "table/window_table.h"
#include "trace/gpu_cards.h"

typedef struct {
	ival_set gpu;           /* the parts of its GPU side, sorted and disjoint */
	ival_set cpu;           /* the parts of its CPU side, sorted and disjoint */
	uint32_t proc;          /* the process; NONE: all processes */
	int64_t device;         /* work on this GPU only; -1: on all */
	bool inside;            /* an event counts only if it lies entirely inside one part */
	const char *name;       /* what the column `window` shows in rows about this window; or NULL */
	const char *each_name;  /* what the column `window` shows in rows that are windows themselves (--each); or
				 * NULL */
	const char *step;       /* if the window is a step: its name; otherwise NULL */
	int64_t number;         /* if the window is a step: its number */
	bool varies;            /* set by callers: the window is a step that does other work than most steps, so it may
				 * take longer */
	bool whole;             /* set by callers: the window is no step, but all GPU work of its process, perhaps
				 * without warm-up */
} window;

typedef struct {
	window *v;
	size_t n, room;
	bool chosen;            /* the user chose the windows; false: they are the default */
	bool nameless;          /* windows without a name, or with different names, were merged into one
				 * (window_filter.merge), and at least one of them had a GPU side and a CPU side that
				 * differ */
	arena texts;            /* the texts of name, each_name and step */
} windows;

enum window_default {
	WINDOW_GPU_WORK,        /* each process: the span of its GPU work */
	WINDOW_GPU_WORK_OR_EVENTS,  /* each process: the span of its GPU work, or of its events if it has none */
	WINDOW_EVENTS,          /* each process: the span of its events */
	WINDOW_TRACE,           /* all processes together: the span of the trace */
	WINDOW_ALL_GPU_WORK     /* all processes together: the span of all GPU work */
};

typedef struct {                /* what the windows are restricted to */
	int64_t pid, sub;       /* one process; pid -1: all; sub -1: any with this pid */
	int64_t gpu;            /* work on this GPU only; -1: on all */
	bool merge;             /* join the windows of a process, or of a process and GPU, into one */
	bool inside;            /* the value of window.inside */
} window_filter;

/* Turn the user's windows (asks) or, if asks is NULL, the default window (def) into windows of this trace, clipped to
 * it.  Windows for another trace are ignored.  If neither a window nor `only` names a process:
 * - with WINDOW_TRACE or WINDOW_ALL_GPU_WORK, the window is for all processes together;
 * - otherwise it becomes one window for each process with GPU work.  A process without GPU work gets one, too, if the
 *   window has no limits and `def` is not WINDOW_GPU_WORK.
 * With only->merge, the windows of a process, or of a process and GPU, become one.  A remark says that a window is
 * skipped, and why; but nothing is said if only->gpu excludes it.  A window outside the trace is a problem unless it is
 * a row of a table.  If `only` or a window names a GPU, work must be loaded. */
windows window_resolve(const trace *t, const window_asks *asks, const window_filter *only, enum window_default def,
		       notes *say);
void window_free(windows *w);

/* Does the event count in this side (&w->gpu or &w->cpu) of the window?  window_has is faster if the side has one
 * part. */
bool window_has_in_parts(const window *w, const ival_set *side, int64_t start, int64_t end);

/* The same as window_has_in_parts.  Inline, because it is called for every event, mostly with a side of one part. */
static inline bool window_has(const window *w, const ival_set *side, int64_t start, int64_t end)
{
	if (side->n != 1 || w->inside)
		return window_has_in_parts(w, side, start, end);
	return start < side->v[0].b && (end > side->v[0].a || (start == end && start >= side->v[0].a));
}

static inline ival window_hull(const ival_set *side)
{
	return (ival){ side->v[0].a, side->v[side->n - 1].b };
}

/* How much of an event lies in this side of the window, ns; -1 if the event does not count.  Most sides have one part
 * that holds the whole event, which is the fast case. */
static inline int64_t window_measure_event(const window *w, const ival_set *side, int64_t start, int64_t end)
{
	if (side->n == 1 && !w->inside && start >= side->v[0].a && start < side->v[0].b && end <= side->v[0].b)
		return end - start;
	return window_has(w, side, start, end) ? ival_within(side, start, end) : -1;
}

/* The span from the first to the last moment of an event in a side of the window, as --each shows it.  The event must
 * reach into that side. */
ival window_clip(const ival_set *side, int64_t start, int64_t end);

/* Find the next stretch of a lane's work that can be in the window: the indices [*lo, *hi), in order of start.  Before
 * the call, *hi is the end of the previous stretch, or 0 at first.  False: there is no further stretch.  Work between
 * two stretches ends before the window begins.
 *
 *     for (size_t i = 0, end = 0; i < end || window_next_in_lane(t, lane, &w->gpu, &i, &end); i++)
 *         printf("%lld\n", (long long)t->work.start[i]);
 */
bool window_next_in_lane(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi);

/* Find the indices [*lo, *hi) of a lane's work that starts in the hull of a side of the window. */
void window_find_starting(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi);

/* Find the next stretch of API calls that can be in the window, as window_next_in_lane does for work. */
bool window_next_calls(const trace *t, const ival_set *side, size_t *lo, size_t *hi);

/* Does the window include the process and the GPU of this lane? */
bool window_has_lane(const window *w, const trace_lane *lane);

/* Does the metric belong to a GPU of the window?  The GPUs of a process are those that it works on. */
bool window_has_metric(const window *w, const trace *t, const gpu_numbers *numbers, const trace_metric *m);

/* Visit each piece of work in a window, lane by lane in order of start:
 *
 *     window_walk walk = { 0 };
 *     while (window_next(t, w, &walk))
 *         printf("%lld\n", (long long)t->work.start[walk.work]);
 */
typedef struct {
	size_t lane;            /* the lane of the current piece */
	size_t work;            /* the current piece, an index of trace.work */
	size_t next, end;       /* the rest of the current stretch: indices [next, end) of trace.work */
	size_t next_lane, end_lane;     /* the lanes not yet visited: [next_lane, end_lane) */
	bool on_lane;           /* the window includes `lane`, and this lane may have more stretches */
} window_walk;

/* Go to the next stretch of work that can be in the window, on this lane or a later one.  False: there is none. */
bool window_walk_to_stretch(const trace *t, const window *w, window_walk *walk);

static inline bool window_next(const trace *t, const window *w, window_walk *walk)
{
	do
		while (walk->next < walk->end) {
			walk->work = walk->next++;
			if (window_has(w, &w->gpu, t->work.start[walk->work], t->work.end[walk->work]))
				return true;
		}
	while (window_walk_to_stretch(t, w, walk));
	return false;
}

/* Visit each event of one kind, such as OS calls, that one thread has in the CPU side of a window, in order of start:
 *
 *     for (window_thread_events found = window_thread_events_of(w, &t->os, thread);
 *          window_next_thread_event(w, &t->os, &found);)
 *         printf("%lld\n", (long long)t->os.start[found.event]);
 */
typedef struct {
	size_t event;           /* the current event, an index of the arrays of a trace_thread_events */
	size_t next, end;       /* the events not yet visited: [next, end) */
} window_thread_events;

window_thread_events window_thread_events_of(const window *w, const trace_thread_events *a, uint32_t thread);

static inline bool window_next_thread_event(const window *w, const trace_thread_events *a,
					    window_thread_events *found)
{
	while (found->next < found->end) {
		found->event = found->next++;
		if (window_has(w, &w->cpu, a->start[found->event], thread_events_end(a, found->event)))
			return true;
	}
	return false;
}
