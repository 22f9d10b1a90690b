/*
 * clock_offset - do the clocks of CPU and GPU agree?
 *
 *     clock_offset_warn(t, -1, -1, say);         // a remark for each process in which they do not
 *
 * No work starts before the call that launches it, and a call that copies to pageable memory returns when the copy is
 * done.  Where the trace says otherwise, by more than the microseconds by which the two clocks always differ, times on
 * the GPU cannot be compared with times of calls: causes of idle time, waits and queues mean nothing.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call say for each process in which work starts over 100us before its call, if one piece in a hundred does, or ends
 * that much after it, if one copy in two that must not does; the text is valid only during the call.  Needs TRACE_WORK
 * and TRACE_LAUNCH: what is not loaded is not looked at. */
void clock_offset_find(trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* A remark for each, or for that of a pid (-1: all; sub -1: any with this pid). */
void clock_offset_warn(trace *t, int64_t pid, int64_t sub, notes *say);
