/*
 * long_launches - why a launch call takes longer than 100us (CALL_LONG_NS).
 *
 *     const uint8_t *why = long_launches_of(t);  // by call; needs TRACE_WORK, TRACE_FULL, TRACE_LAUNCH and TRACE_CALLS
 *     if (t->calls.n && why[0] == LONG_QUEUE)
 *         puts("the first call waits for room in the queue of its stream");
 *
 * If several reasons hold, the first of them in enum long_launch counts.
 */
#pragma once

#include "trace/trace.h"

enum long_launch {
	LONG_NOT,               /* the call is no launch call, takes at most CALL_LONG_NS, or the trace shows no
				 * reason */
	LONG_QUEUE,             /* when the call begins, the work of the call that came LONG_QUEUED calls earlier on
				 * its stream has not ended */
	LONG_LOAD,              /* inside the call, its thread makes a call of class module, which loads code */
	LONG_FIRST,             /* the call launches a kernel whose demangled name is new to its process, so CUDA
				 * loads code */
	LONG_LOCK               /* for at least half of the call, other threads of the process are in calls that can
				 * hold a lock: calls that neither synchronize nor copy */
};

enum { LONG_QUEUED = 1000 };    /* after so many calls, the queue of a stream counts as full; CUDA's queues hold the
				 * work of 1022 calls */

const uint8_t *long_launches_of(trace *t);

/* "queue", "load", "first" or "lock"; NULL for LONG_NOT. */
const char *long_launch_name(enum long_launch why);
