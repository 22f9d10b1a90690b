/*
 * cpu_waiters - which API call waited for a copy or other work.
 *
 *     const cpu_waiters *c = cpu_waiters_of(t);          // needs what cpu_waits.h does
 *     if (t->work.n && cpu_waiter(c, 0) == NONE)
 *         puts("nobody waited for the first work");
 *
 * A call without Async waits for its own copy to or from the host.  Other work may have been waited for by calls of its
 * process that began before the work ended, and that waited for this work or for later work of its stream.  The waiter
 * is the one of these calls that ended first.
 */
#pragma once

#include "trace/trace.h"

typedef struct cpu_waiters cpu_waiters;

const cpu_waiters *cpu_waiters_of(trace *t);

/* The call that waited for the work, or NONE. */
uint32_t cpu_waiter(const cpu_waiters *c, size_t work);
