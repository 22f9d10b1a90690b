/*
 * clock_offset - do the clocks of CPU and GPU agree?
 *
 *     clock_offset_warn(t, -1, -1, say);         // a warning for each process in which they do not
 *
 * Work never starts before the call that launches it, and a call that copies to pageable memory never returns before
 * the copy is done.  A trace may contradict these two rules by some microseconds, because the two clocks always differ
 * a little.  If it contradicts them by more, times on the GPU cannot be compared with times of calls, so causes of idle
 * time, waits and queues mean nothing.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call report for each process in which at least 1 % of the work starts over 100 us before the call that launched it,
 * or at least half of the copies to pageable memory end over 100 us after their calls.  The text says which of the two
 * it is, and is valid until report returns.  Work whose call is not in the trace is not counted.
 * Needs TRACE_WORK and TRACE_LAUNCH. */
void clock_offset_find(trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* Add a warning for each process that clock_offset_find finds.  pid -1: for all of them; otherwise only for those with
 * this pid and sub (trace_is_process). */
void clock_offset_warn(trace *t, int64_t pid, int64_t sub, notes *say);
