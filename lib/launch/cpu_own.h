/*
 * cpu_own - what the CPU of a process does by itself: its time without the time in which it waits.
 *
 *     // needs TRACE_WORK, TRACE_LAUNCH and TRACE_CALLS
 *     cpu_own *c = cpu_own_build(t);
 *     cpu_own_time x = cpu_own_in(c, 0, (ival){ 0, 1000000 });
 *     printf("waits %lld ns; its launches cost the profiler %lld ns\n", (long long)x.wait, (long long)x.profiler);
 *     cpu_own_free(c);
 *
 * A process waits in a synchronizing call, a blocking copy or an MPI call during which none of its threads launches
 * anything.  It also waits while it is off the CPU (asleep.h).  A call that launches one kernel or memset is assumed
 * to take 2us without a profiler; the rest of its time is the cost of the profiler (`profiler`).  At most 18us of
 * that cost count as time by which the call was slowed down (`slowed`), because a call that takes longer waits for
 * room in the queue.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	int64_t wait;           /* ns in which the process waits */
	int64_t profiler;       /* ns that the profiler adds to calls that launch one kernel or memset */
	int64_t slowed;         /* ns of `profiler`, at most 18us of each call */
	int64_t launches;       /* number of calls that launch work */
} cpu_own_time;

typedef struct cpu_own cpu_own;

cpu_own *cpu_own_build(trace *t);
void cpu_own_free(cpu_own *c);

/* What the process does in a span of CPU time.  A launch belongs to the span if it starts there. */
cpu_own_time cpu_own_in(const cpu_own *c, uint32_t proc, ival cpu);
