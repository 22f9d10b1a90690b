/*
 * cpu_waiters - which API call waited for a piece of work.
 *
 *     const cpu_waiters *c = cpu_waiters_of(t);          // needs what cpu_waits.h does
 *     if (t->work.n && cpu_waiter(c, 0) == NONE)
 *         puts("nobody waited for the first work");
 *
 * If a call without Async copies to or from the host, it is the waiter of its own copy.  For any other work, the calls
 * of its process that began before the work ended are considered, if they waited for this work, for later work of its
 * stream, for the whole stream or for the device.  Among them, the call that ended first is the waiter.
 */
#pragma once

#include "trace/trace.h"

typedef struct cpu_waiters cpu_waiters;

const cpu_waiters *cpu_waiters_of(trace *t);

/* The call that waited for the work, or NONE. */
uint32_t cpu_waiter(const cpu_waiters *c, size_t work);
