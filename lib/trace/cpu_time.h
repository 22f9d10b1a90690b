/*
 * cpu_time - how long a thread waited off the CPU, by its context switches.
 *
 *     cpu_time w = cpu_time_find_waits(t, 0, t->span, 10);       // of the first thread
 *     if (w.known)
 *         printf("%lld ns, of which %lld in its ten longest waits\n", (long long)w.waits, (long long)w.longest);
 *
 * TRACE_SWITCHES need not be loaded, because cpu_time_find_waits reads the switches of the thread from the file.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	bool known;             /* does the trace have context switches of the thread? */
	int64_t waits;          /* nanoseconds that it was off the CPU in `span` */
	int64_t longest;        /* nanoseconds in its n longest waits in `span` */
} cpu_time;

/* Measure the waits of a thread in `span`.  n: how many of them `longest` adds up. */
cpu_time cpu_time_find_waits(const trace *t, uint32_t thread, ival span, size_t n);
