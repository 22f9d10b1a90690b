/*
 * idle_causes - when a process leaves its GPU idle, and why.
 *
 *     const idle_causes *idle = idle_of(t, IDLE_PARTS);
 *     idle_gap gap = { 0 };
 *     const lane_gaps *gaps = idle_gaps(idle);
 *     for (bool more = lane_gaps_from_work(gaps, 0, 0, &gap.in); more; more = lane_gaps_next(gaps, &gap.in))
 *         if (idle_synced(idle, &gap))
 *             puts("the CPU had waited for the GPU");
 *
 * A gap is judged by `next`, the work that ends it, and by what the thread that launched `next` was doing.  The causes
 * are coarse: step/idle_owners.h divides a gap more finely, by what kept work away (enum owner).  Several threads may
 * call these functions at a time, each with a gap of its own.
 */
#pragma once

#include "timeline/lane_gaps.h"

enum idle_cause {
	IDLE_TURNAROUND,        /* after the launch of `next`, which waited only for the work before it on its stream */
	IDLE_QUEUED,            /* after the launch of `next`, which waited for other work */
	IDLE_LAUNCH,            /* inside the call that launches `next` */
	IDLE_SYNC,              /* inside a call that waits for the GPU */
	IDLE_CALL,              /* inside a call that does not synchronize, other than the launch of `next` */
	IDLE_HOST,              /* before the launch of `next`, outside of calls */
	IDLE_UM,                /* `next` moves managed memory, so no call launched it */
	IDLE_UNKNOWN,           /* the launch of `next` is not in the trace */
	IDLE_EDGE               /* before the first work or after the last */
};

typedef struct {
	lane_gap in;           /* the gap, and the work that ends it */
	/* By thread % 8: where the last searches of the thread ended.  A search that begins there is quick. */
	struct idle_search_start {
		uint32_t thread;
		size_t call;    /* among the outermost calls: the `from` of outer_calls_after (outer_calls.h) */
		size_t waiting; /* among the calls that wait: the `from` of waiting_calls_at (waiting_calls.h) */
	} search_from[8];
	/* By thread % 8: what step/idle_owners.c last found in the thread's ranges: index `after` (around_after).
	 * Among the ranges before that index, only range open - 1 and the ranges around it can be open at `moment` or
	 * later.  If `open` is 0, none can. */
	struct idle_open { uint32_t thread; size_t after, open; int64_t moment; } ranges[8];
} idle_gap;

typedef struct idle_causes idle_causes;

enum {                          /* flags: which gaps to find, and what to find out about them */
	IDLE_KERNELS = 1,       /* only kernels and graphs make the GPU busy, not copies and sets */
	IDLE_CAPTURED = 2,      /* for a gap inside a replay of a CUDA graph, idle_range gives the innermost range
				 * around the capture of the node that ends the gap; needs TRACE_CAPTURES */
	IDLE_PARTS = 4          /* idle_give_parts and idle_launched may be called */
};

/* Gaps need TRACE_WORK.  idle_synced also needs TRACE_LAUNCH and TRACE_CALLS, IDLE_PARTS also TRACE_SYNCS, and
 * idle_range TRACE_LAUNCH and TRACE_RANGES. */
const idle_causes *idle_of(trace *t, unsigned what);

/* The gaps of each lane (trace_lane: a process's work on one GPU). */
const lane_gaps *idle_gaps(const idle_causes *idle);

/* Call f for each part of the gap, in order of time, with its cause and the call in which it lies; NONE: it lies in
 * none.  Parts entirely outside `time` may be left out. */
typedef void idle_take(void *ctx, enum idle_cause c, uint32_t call, ival part);
void idle_give_parts(const idle_causes *idle, idle_gap *gap, ival time, idle_take *f, void *ctx);

/* Had the call that launched the work after the gap returned when the gap began?  If so, the whole gap is one part,
 * outside of calls, and *c gets its cause: turnaround or queued. */
bool idle_launched(const idle_causes *idle, const idle_gap *gap, enum idle_cause *c);

/* Had the CPU waited for the GPU, so that nothing was queued?  The work after the gap must have been launched after the
 * gap began.  In addition, one of these must be true:
 * - When the gap began, the launching thread was in a synchronizing call.
 * - When the gap began, the main thread was in a synchronizing call, which ended before the launch.
 * - A synchronizing call of the launching thread had ended up to 20us before the gap began, and the work whose end
 *   begins the gap had been launched before that call.  The 20us are for the clocks of CPU and GPU, which differ:
 *   no call returns before the work that it waits for has ended. */
bool idle_synced(const idle_causes *idle, idle_gap *gap);

/* The name of the innermost range of the launching thread that covers more than half of the gap, or STR_NONE.
 * With IDLE_CAPTURED, gaps inside replays are an exception. */
uint32_t idle_range(const idle_causes *idle, const idle_gap *gap);
