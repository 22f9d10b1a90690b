/*
 * cpu_waiters - which API call waited for a copy.
 *
 *     const cpu_waiters *c = cpu_waiters_of(t);          // needs what cpu_waits.h does
 *     if (t->work.n && cpu_waiter(c, 0) == NONE)
 *         puts("nobody waited for the first work");
 *
 * That of a copy to or from the host by a call without Async is this call; else, of those of its process that began
 * before the work ended and waited for it, or for something behind it on its stream, the one that ended first.
 */
#pragma once

#include "trace/trace.h"

typedef struct cpu_waiters cpu_waiters;

const cpu_waiters *cpu_waiters_of(trace *t);

/* NONE: there is none. */
uint32_t cpu_waiter(const cpu_waiters *c, size_t work);
