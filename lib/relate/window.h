/*
 * window - a stretch of a trace that a question is asked about.
 *
 *     windows all = window_resolve(t, NULL, &(window_filter){ .pid = -1, .gpu = -1 }, WINDOW_GPU_WORK, say);
 *     for (size_t i = 0; i < all.n; i++)
 *         if (window_has(&all.v[i], &all.v[i].gpu, 100, 200))
 *             printf("%lld\n", (long long)ival_within(&all.v[i].gpu, 100, 200));
 *     window_free(&all);
 *
 * A window has a GPU side, which selects GPU work, and a CPU side, which
 * selects API calls and the counts and CPU times of ranges.  Merged windows
 * have several parts; a row cites the hull, the length is that of the parts.
 * share/conventions.md says when an event is in a window.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "base/interval.h"
#include "table/window_table.h"
#include "trace/trace.h"

typedef struct {
	ival_set gpu, cpu;      /* its parts, sorted and disjoint */
	uint32_t proc;          /* NONE: all processes */
	int64_t device;         /* work on this GPU only; -1: on all */
	bool inside;            /* only events wholly inside a part count */
	const char *name;       /* the window column of rows about this window, or NULL */
	const char *each_name;  /* that of rows which are windows of their own */
} window;

typedef struct {
	window *v;
	size_t n, room;
	bool asked;             /* false: they are the default */
	arena texts;            /* their names */
} windows;

enum window_default {
	WINDOW_GPU_WORK,        /* each process: the span of its GPU work */
	WINDOW_GPU_WORK_OR_EVENTS,  /* the same, and of its events for a process without GPU work */
	WINDOW_EVENTS,          /* each process: the span of its events */
	WINDOW_TRACE,           /* all processes together: the span of the trace */
	WINDOW_ALL_GPU_WORK     /* all processes together: the span of all GPU work */
};

typedef struct {                /* what the windows are restricted to */
	int64_t pid, sub;       /* a process; pid -1: all; sub -1: whatever the bits above the pid */
	int64_t gpu;            /* -1: all */
	bool merge;             /* answer the windows of a process as one */
	bool inside;
} window_filter;

/* Turn what was asked of a trace (NULL: nothing, so the default window) into windows: cut to the trace, one
 * for each process where the default is by process, merged if so asked.  Asks that name another trace are
 * passed over.  Remarks say what is left out; a window outside the trace that is not a row of a table is a
 * problem.  The work must be loaded where a GPU is named. */
windows window_resolve(const trace *t, const window_asks *asks, const window_filter *only, enum window_default def,
		       notes *say);
void window_free(windows *w);

/* Does the event count in this side of the window? */
bool window_has(const window *w, const ival_set *side, int64_t start, int64_t end);

static inline ival window_hull(const ival_set *side)
{
	return (ival){ side->v[0].a, side->v[side->n - 1].b };
}

/* The part of an event in a side of the window, as a hull: what --each shows. */
ival window_clip(const ival_set *side, int64_t start, int64_t end);

/* The stretch of a lane's work that can be in the window: indices [*lo, *hi). */
void window_work(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi);

/* The same for API calls. */
void window_calls(const trace *t, const ival_set *side, size_t *lo, size_t *hi);

/* Does this window ask about that lane: its process, its GPU? */
bool window_lane(const window *w, const trace_lane *lane);

/* Each piece of work in a window, lane by lane in order of start:
 *
 *     window_walk k = { 0 };
 *     while (window_next(t, w, &k))
 *         printf("%lld\n", (long long)t->work.start[k.work]);
 */
typedef struct {
	size_t lane, work;      /* the piece at hand */
	size_t next_lane, next, end;
} window_walk;

static inline bool window_next(const trace *t, const window *w, window_walk *k)
{
	for (;;) {
		while (k->next < k->end) {
			k->work = k->next++;
			if (window_has(w, &w->gpu, t->work.start[k->work], t->work.end[k->work]))
				return true;
		}
		if (k->next_lane == t->nlanes)
			return false;
		k->lane = k->next_lane++;
		if (window_lane(w, &t->lanes[k->lane]))
			window_work(t, &t->lanes[k->lane], &w->gpu, &k->next, &k->end);
	}
}

#endif
