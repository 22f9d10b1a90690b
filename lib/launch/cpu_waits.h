/*
 * cpu_waits - which API calls waited for work on the GPU, and for which work.
 *
 *     const cpu_waits *c = cpu_waits_of(t);      // needs TRACE_WORK and TRACE_SYNCS
 *     const cpu_wait *w = cpu_waits_before(c, 0, 1000);
 *     if (w)
 *         printf("before 1000 ns thread 0 last waited until %lld\n", (long long)w->end);
 *
 * A call waited for work that ended after the call began and at most 20us after the call ended.  A synchronization of
 * the device, and cudaFree, wait for all work that the process launched before.  A synchronization of a stream or an
 * event waits for the work that depends_sync (depends.h) returns or, if that is not known, for the last work of the
 * process that ended inside the call.  A blocking call waits for its own copy (cpu_waits_for_copy), if the copy ended
 * inside the call.  A query waits for nothing.
 */
#pragma once

#include "trace/trace.h"

enum { CPU_WAITS_SLACK_NS = 20000 };    /* ns by which the clocks of CPU and GPU may differ */

typedef struct {
	uint32_t call;          /* the call that waited */
	uint32_t work;          /* the work that it waited for; if there was more than one piece, the last to end */
	int64_t end;            /* when the work ended, or when the call ended if that was earlier */
} cpu_wait;

typedef struct cpu_waits cpu_waits;

const cpu_waits *cpu_waits_of(trace *t);

/* All waits, in order of thread, then of the end of the call. */
const cpu_wait *cpu_waits_all(const cpu_waits *c, size_t *n);

/* Among the waits of the thread and of the main thread of its process, the last one whose call had ended by the moment;
 * at equal ends, the thread's own.  NULL: there is none. */
const cpu_wait *cpu_waits_before(const cpu_waits *c, uint32_t thread, int64_t moment);

/* Is the work a copy that its call waits for?  It is if the call has no Async in its name, or if one side of the copy
 * is pageable. */
bool cpu_waits_for_copy(const cpu_waits *c, size_t work);
