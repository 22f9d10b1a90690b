/*
 * idle_causes - when a process leaves its GPU idle, and why.
 *
 *     const idle_causes *idle = idle_of(t, IDLE_JUDGED);
 *     idle_gap gap = { 0 };
 *     int64_t part[IDLE_CAUSES];
 *     const quiet *gaps = idle_gaps(idle);
 *     for (bool more = quiet_first(gaps, 0, 0, &gap.in); more; more = quiet_next(gaps, &gap.in)) {
 *         idle_judge(idle, &gap, &w->gpu, part);         // gap.cause, and the time of each cause in w
 *         puts(idle_cause_name(gap.cause));
 *     }
 *
 * The causes are those of share/conventions/gaps.md: a gap is judged by `next`, the work that ends it, and by what the
 * thread that launched it was doing.  Several threads may ask at a time, each with a gap of its own.
 */
#pragma once

#include "timeline/quiet.h"

enum idle_cause {               /* at equal times, the first of these is the cause of a gap */
	IDLE_TURNAROUND, IDLE_QUEUED, IDLE_LAUNCH, IDLE_SYNC, IDLE_MEMORY, IDLE_API, IDLE_HOST, IDLE_UM, IDLE_UNKNOWN,
	IDLE_EDGE, IDLE_CAUSES
};

typedef struct {
	quiet_gap in;           /* the idle stretch, and the work that ends it */
	enum idle_cause cause;  /* set by idle_judge */
	struct idle_near { uint32_t thread; size_t call, waiting; } near[8];    /* where to look for the calls of recent
										 * threads, */
	/* and for their ranges (around_after): from that moment on, of those before only this (+ 1) and what is around
	 * it can be open */
	struct idle_open { uint32_t thread; size_t after, open; int64_t moment; } ranges[8];
} idle_gap;

typedef struct idle_causes idle_causes;

enum {                          /* what is asked of the gaps */
	IDLE_KERNELS = 1,       /* only kernels and graphs make the GPU busy, not copies and sets */
	IDLE_CAPTURED = 2,      /* idle_range: a gap inside a replay of a CUDA graph is in the innermost range around
				 * the capture of the node that ends it; needs TRACE_CAPTURES */
	IDLE_PARTS = 4,         /* idle_parts, idle_launched and idle_just_synced */
	IDLE_JUDGED = 12        /* that, and idle_judge and idle_api */
};

/* Gaps need TRACE_WORK; idle_synced needs TRACE_LAUNCH and TRACE_CALLS too, IDLE_PARTS and IDLE_JUDGED
 * TRACE_SYNCS, and idle_range TRACE_LAUNCH and TRACE_RANGES. */
const idle_causes *idle_of(trace *t, unsigned what);

/* The gaps of its lanes. */
const quiet *idle_gaps(const idle_causes *idle);

/* Call f for each part of the gap, in order of time, with its cause and the call that the part lies in, or NONE.  Parts
 * that are wholly outside in may be left out. */
typedef void idle_take(void *ctx, enum idle_cause c, uint32_t call, ival part);
void idle_parts(const idle_causes *idle, idle_gap *gap, ival in, idle_take *f, void *ctx);

/* Had the call that launched what ends the gap returned when it began?  Then the gap is one part, in no call, and the
 * cause is turnaround or queued. */
bool idle_launched(const idle_causes *idle, const idle_gap *gap, enum idle_cause *c);

/* Set the cause of the whole gap, and how much time of each cause is in the window. */
void idle_judge(const idle_causes *idle, idle_gap *gap, const ival_set *window, int64_t part[IDLE_CAUSES]);

/* Had the CPU waited for the GPU?  A synchronizing call of the launching thread, or one of the main thread that ends by
 * the launch, is open where the gap begins, and the launch comes later.  (gap->in.a INT64_MIN: no work precedes the
 * gap, so there was nothing to wait for.) */
bool idle_synced(const idle_causes *idle, idle_gap *gap);

/* Or did such a call of the launching thread end up to 20us before the gap, which began after what ended there was
 * launched?  A call cannot return before the work that it waits for has ended: the clocks of CPU and GPU are some
 * microseconds apart. */
bool idle_just_synced(const idle_causes *idle, idle_gap *gap);

/* The call with the most time in the part of the gap that its cause names (so idle_judge comes first), and the
 * innermost range that covers more than half of the gap, both on the thread that launched next: strings, or
 * STR_NONE. */
uint32_t idle_api(const idle_causes *idle, const idle_gap *gap);
uint32_t idle_range(const idle_causes *idle, const idle_gap *gap);

const char *idle_cause_name(enum idle_cause c);
