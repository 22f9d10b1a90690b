/*
 * cpu_waiters - which API call waited for a piece of work.
 *
 *     const cpu_waiters *c = cpu_waiters_of(t);          // needs what cpu_waits.h does
 *     if (t->work.n && cpu_waiter(c, 0) == NONE)
 *         puts("nobody waited for the first work");
 *
 * If a call without Async copies to or from the host, it waits for its own copy.  Several calls may have waited for
 * other work: those of its process that began before the work ended and waited for this work, for later work of its
 * stream, for the whole stream or for the device.  Of these calls, the one that ended first is the waiter.
 */
#pragma once

#include "trace/trace.h"

typedef struct cpu_waiters cpu_waiters;

const cpu_waiters *cpu_waiters_of(trace *t);

/* The call that waited for the work, or NONE. */
uint32_t cpu_waiter(const cpu_waiters *c, size_t work);
