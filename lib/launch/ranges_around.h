/*
 * ranges_around - which push/pop ranges are around a piece of work, a call or another range.
 *
 *     const around *a = around_of(t, AROUND_WORK);
 *     for (around_walk walk = around_work(a, 0); walk.range != NONE; around_next(a, &walk))
 *         puts(t->pushpop.name[walk.range] == STR_NONE ? "-" : str_at(&t->names, t->pushpop.name[walk.range]));
 *                                                // work 0: its innermost range comes first
 *
 * The ranges around work are those of the launching thread that are open when the launching call starts.
 * AROUND_ADOPT adds, outside these, the ranges that are open at that moment on the main thread of the process.
 * AROUND_CAPTURED adds, inside the others, the ranges that were open on the capturing thread when the CUDA graph node
 * that the work replays was created.  If such a range is still open at the launch, it may be one of the others as well;
 * it is then visited once, among the others.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	trace *t;
	uint32_t *parent;        /* by range: the innermost range of its thread that was open when it started, or
				  * NONE */
	uint32_t *past;          /* by range: among the ranges around it, the innermost that ends later, or NONE; a
				  * search for an open range goes on there if this range has ended.  The same array
				  * as parent if no ranges cross. */
	uint32_t *inner;         /* by call: the innermost range of its thread when it starts, or NONE; NULL with
				  * AROUND_RANGES */
	uint32_t *main;          /* by call: the innermost range of the main thread when it starts; NONE: there is none,
				  * or the call is on the main thread; NULL unless AROUND_ADOPT */
	uint32_t *captured;      /* by capture: the innermost range of the capturing thread at the capture, or NONE;
				  * NULL unless AROUND_CAPTURED */
	size_t *first;           /* by thread: where its ranges begin in trace.pushpop; the last entry is the number of
				  * ranges */
	bool cross;              /* does some range end after a range that was open when it started? */
} around;

typedef struct {
	uint32_t range;          /* NONE if there are no more */
	bool captured;           /* is this a range around the capture of the work that is not also around its
				  * launch? */
	int64_t at;              /* a moment at which the range is open: `launch`, or when the graph node was created */
	int64_t launch;          /* when the launching call starts */
	uint32_t then[2];        /* the innermost ranges, at the launch, of the threads that the walk has still to
				  * visit: the launching thread, then the main thread; NONE: no more */
} around_walk;

enum {
	AROUND_RANGES = 0,      /* for lookups by range, moment or work; each lookup by work takes a search */
	AROUND_WORK = 1,        /* as AROUND_RANGES, but lookups by work need no search; this makes a table of all
				 * calls, once */
	AROUND_ADOPT = 3,       /* as AROUND_WORK, with the main thread's ranges outside those of other threads */
	AROUND_CAPTURED = 5     /* as AROUND_WORK, with the ranges around captures inside; can be combined with
				 * AROUND_ADOPT */
};

static inline unsigned around_flags(bool adopt, bool captured)
{
	return AROUND_WORK | (adopt ? AROUND_ADOPT : 0) | (captured ? AROUND_CAPTURED : 0);
}

/* Needs TRACE_RANGES.  All flags but AROUND_RANGES also need TRACE_LAUNCH, and AROUND_CAPTURED also TRACE_CAPTURES. */
const around *around_of(trace *t, unsigned flags);

/* The next range outwards from a range that has started by the moment, but may have ended.  The result may have ended,
 * too; NONE: there is no range. */
static inline uint32_t around_up(const around *a, uint32_t range, int64_t moment)
{
	return a->t->pushpop.end[range] <= moment ? a->past[range] : a->parent[range];
}

/* The innermost range of a call's thread when the call starts; needs AROUND_WORK.  NONE: there is none, or the call is
 * NONE. */
static inline uint32_t around_inner(const around *a, uint32_t call)
{
	return call == NONE ? NONE : a->inner[call];
}

/* around_work: the innermost range around a piece of work.  around_next: the next one outwards. */
around_walk around_work(const around *a, size_t work);
void around_next(const around *a, around_walk *w);

/* The innermost range around a piece of work.  *from: where its search starts, any value at first; set to where the
 * search ended.  If *from is kept for the next work of the same thread, in order of launch, AROUND_RANGES is nearly as
 * fast as AROUND_WORK, and needs no pass over all calls. */
around_walk around_work_from(const around *a, size_t work, size_t *from);

/* Skip the remaining ranges of the current range's thread, and go to the first range of the next thread. */
void around_next_thread(around_walk *w);

/* The name of the innermost range around a piece of work: a string, or STR_NONE. */
uint32_t around_name(const around *a, size_t work);

/* The innermost range around a piece of work that is outside the domains of libraries (trace_domain.inner), such as
 * NCCL's; or NONE.  from: as in around_work_from.  around_own_range_name: the folded name of that range (str_fold), or
 * STR_NONE; the name may be added to the trace's names. */
uint32_t around_own_range(const around *a, size_t work, size_t *from);
uint32_t around_own_range_name(const around *a, size_t work);

/* The first range of a thread that starts after the moment; if there is none, the end of its ranges.  from: where an
 * earlier search in the thread ended; SIZE_MAX: there was none. */
size_t around_after(const around *a, uint32_t thread, int64_t moment, size_t from);

/* The innermost range of a thread at a moment, or NONE. */
uint32_t around_at(const around *a, uint32_t thread, int64_t moment);

/* The innermost range of a thread that is open for more than half of the time, or NONE. */
uint32_t around_over_half(const around *a, uint32_t thread, ival time);

/* An array with an element for each push/pop range: the number of earlier ranges of its thread that are open when it
 * starts.  The caller frees it. */
uint32_t *around_depths(const around *a);

/* Call f for every push/pop range that is open at the start of `time` or starts in it.  around_each: for the
 * ranges of a process; NONE: of all processes.  around_each_of: for those of a thread.  This takes one search for each
 * thread, plus time proportional to the calls of f and the ranges that cross. */
void around_each(const around *a, uint32_t proc, ival time, void (*f)(void *ctx, size_t range), void *ctx);
void around_each_of(const around *a, uint32_t thread, ival time, void (*f)(void *ctx, size_t range), void *ctx);

/* The main thread of a process, whose tid is the pid; NONE: it has no events. */
uint32_t around_main_thread(const trace *t, uint32_t proc);
