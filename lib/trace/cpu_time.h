/*
 * cpu_time - how long a thread waited off the CPU, by its context switches.
 *
 *     cpu_time w = cpu_time_in(t, 0, t->span, 10);       // of the first thread
 *     if (w.known)
 *         printf("%lld ns, of which %lld in its ten longest waits\n", (long long)w.waits, (long long)w.longest);
 *
 * The switches need not be loaded: those of the thread are read, for a question that few traces raise.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	bool known;             /* are there switches of the thread in the trace? */
	int64_t waits;          /* time off the CPU, */
	int64_t longest;        /* and in the longest n waits */
} cpu_time;

cpu_time cpu_time_in(const trace *t, uint32_t thread, ival at, size_t n);
