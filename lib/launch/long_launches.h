/*
 * long_launches - why a launch call takes longer than 100us (CALL_LONG_NS).
 *
 *     const uint8_t *why = long_launches_of(t);  // by call; needs TRACE_WORK, TRACE_FULL, TRACE_LAUNCH and TRACE_CALLS
 *     if (t->calls.n && why[0] == LONG_QUEUE)
 *         puts("the first call waits for room in the queue of its stream");
 *
 * The reason is the first one of the enum that holds.
 */
#pragma once

#include "trace/trace.h"

enum long_launch {
	LONG_NOT,               /* it is no launch call, it does not take longer than CALL_LONG_NS, or the trace shows
				 * no reason */
	LONG_QUEUE,             /* when it begins, work of LONG_QUEUED earlier calls of its stream has not ended */
	LONG_LOAD,              /* its thread makes a call of class module inside it */
	LONG_FIRST,             /* CUDA loads code: it launches a kernel whose demangled name is new to its process */
	LONG_LOCK               /* for at least half of the call, other threads of the process are in calls that neither
				 * synchronize nor copy */
};

enum { LONG_QUEUED = 1000 };    /* how many calls fill a queue; CUDA's queues hold the work of 1022 calls */

const uint8_t *long_launches_of(trace *t);

/* "queue", "load", "first" or "lock"; NULL for LONG_NOT. */
const char *long_launch_name(enum long_launch why);
