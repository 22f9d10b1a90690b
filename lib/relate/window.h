/*
 * window - a stretch of a trace that a question is asked about.
 *
 * A window has a GPU side, which chooses GPU work, and a CPU side, which
 * chooses API calls and the counts and CPU times of ranges.  Merged windows
 * have several parts; the row cites the hull, the length is that of the parts.
 *
 *     if (window_has(w, &w->gpu, start, end))
 *         total = ns_add(total, ival_within(&w->gpu, start, end));
 *
 * share/conventions.md says when an event is in a window.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "base/interval.h"
#include "trace/trace.h"
#include "table/window_table.h"

typedef struct {
	ival_set gpu, cpu;      /* its parts, sorted and disjoint */
	uint32_t proc;          /* NONE: all processes */
	const char *name;       /* the window column, or NULL */
} window;

typedef vec(window) windows;

enum window_default {
	WINDOW_GPU_WORK,        /* each process: the span of its GPU work */
	WINDOW_GPU_WORK_OR_EVENTS,  /* the same, and of its events for one without GPU work */
	WINDOW_EVENTS,          /* each process: the span of its events */
	WINDOW_TRACE,           /* all processes together: the span of the trace */
	WINDOW_ALL_GPU_WORK     /* all processes together: the span of all GPU work */
};

/* Turn what was asked of a trace (nothing: the default) into windows: cut to the trace, one for
 * each process where the default is by process, merged if so asked.  What lies outside is said. */
windows window_resolve(const trace *t, const win_ask *asks, size_t n, bool asked, enum window_default def);
void window_free(windows *w);

/* Does the event count in this side of the window?  With --inside it must lie wholly in a part. */
bool window_has(const ival_set *side, int64_t start, int64_t end);

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

/* Does this window ask about that lane (its process, and -g)? */
bool window_lane(const window *w, const trace_lane *lane);

#endif
