/*
 * long_launches - why a launch call takes over 100us (CALL_LONG_NS).
 *
 *     const uint8_t *why = long_launches_of(t);  // by call; needs TRACE_WORK, TRACE_FULL, TRACE_LAUNCH and TRACE_CALLS
 *     if (t->calls.n && why[0] == LONG_QUEUE)
 *         puts("the first call waits for room in the queue of its stream");
 *
 * The first of these that holds is the reason.
 */
#pragma once

#include "trace/trace.h"

enum long_launch {
	LONG_NOT,               /* it is no launch call of that length, or has no reason that the trace shows */
	LONG_QUEUE,             /* when it begins, work of LONG_QUEUED earlier calls of its stream has not ended */
	LONG_LOAD,              /* its thread calls something of class module inside it */
	LONG_FIRST,             /* it launches a kernel of a demangled name new to its process: CUDA loads its code */
	LONG_LOCK               /* for at least half of it, other threads of the process are in calls that neither
				 * synchronize nor copy */
};

enum { LONG_QUEUED = 1000 };    /* calls whose work a queue holds; CUDA's hold 1022 */

const uint8_t *long_launches_of(trace *t);

/* "queue", "load", "first" or "lock"; NULL of LONG_NOT. */
const char *long_launch_name(enum long_launch why);
