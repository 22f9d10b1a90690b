/*
 * cpu_waits - which API calls waited for work on the GPU, and for which.
 *
 *     const cpu_waits *c = cpu_waits_of(t);      // needs TRACE_WORK and TRACE_SYNCS
 *     const cpu_wait *w = cpu_waits_before(c, 0, 1000);
 *     if (w)
 *         printf("before 1000 ns thread 0 last waited until %lld\n", (long long)w->end);
 *
 * A call waited for work that ended after it began and at most 20us after it ended: a synchronization of the device,
 * and cudaFree, for the process's work launched before; that of a stream or an event for what that relays (depends.h),
 * where that is not known for the last work of the process that ended inside the call; a blocking copy for itself, if
 * it ended inside.  A call that only asks waits for nothing.
 */
#pragma once

#include "trace/trace.h"

enum { CPU_WAITS_SLACK_NS = 20000 };    /* the clocks of CPU and GPU differ by that much */

typedef struct {
	uint32_t call, work;
	int64_t end;            /* when the work ended; at most when the call did */
} cpu_wait;

typedef struct cpu_waits cpu_waits;

const cpu_waits *cpu_waits_of(trace *t);

/* All of them, by thread, then the end of the call. */
const cpu_wait *cpu_waits_all(const cpu_waits *c, size_t *n);

/* Of the calls of the thread, or of the main thread of its process, that waited for work and had ended by the moment,
 * the one that ended last; at equal ends the thread's own.  NULL: there is none. */
const cpu_wait *cpu_waits_before(const cpu_waits *c, uint32_t thread, int64_t moment);

/* Is it a copy that its call waits for: is it made by a call without Async in its name, or is a side of it pageable? */
bool cpu_waits_for_copy(const cpu_waits *c, size_t work);
