/*
 * clock_offset - do the clocks of CPU and GPU agree?
 *
 *     clock_offset_warn(t, -1, -1, say);         // a remark for each process in which they do not
 *
 * No work starts before the call that launches it, and a call that copies to pageable memory returns when the copy is
 * done.  The two clocks always differ by some microseconds.  If a trace contradicts these rules by more than that,
 * times on the GPU cannot be compared with times of calls, so causes of idle time, waits and queues mean nothing.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call say for each process in which one piece of work in a hundred starts over 100us before its call, or one copy in
 * two to pageable memory ends over 100us after its call.  The text is valid only during the call.  Needs TRACE_WORK and
 * TRACE_LAUNCH; without the calls or copies, nothing is checked. */
void clock_offset_find(trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* A remark for each such process, or only for those of a pid (-1: all; sub -1: any with this pid). */
void clock_offset_warn(trace *t, int64_t pid, int64_t sub, notes *say);
