/*
 * clock_offset - do the clocks of CPU and GPU agree?
 *
 *     clock_offset_warn(t, -1, -1, say);         // a warning for each process in which they do not
 *
 * No work starts before the call that launches it, and a call that copies to pageable memory returns when the copy is
 * done.  The two clocks always differ by some microseconds.  If a trace contradicts these rules by more than that,
 * times on the GPU cannot be compared with times of calls, so causes of idle time, waits and queues mean nothing.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call say for each process in which at least 1 % of the work starts over 100 us before the call that launched it, or
 * at least half of the copies to pageable memory end over 100 us after their calls.  The text is valid only during the
 * call of say.
 * Needs TRACE_WORK and TRACE_LAUNCH; work without a call in the trace is not checked. */
void clock_offset_find(trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* Add a warning for each such process.  pid -1: for all processes; otherwise only for those with this pid and sub
 * (trace_is_process). */
void clock_offset_warn(trace *t, int64_t pid, int64_t sub, notes *say);
