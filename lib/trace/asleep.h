/*
 * asleep - when a process was off the CPU and in no call, by its context switches; it then waited for something.
 *
 *     const ival_set *off = asleep_of(t);        // by process; needs TRACE_WORK and TRACE_CALLS
 *     if (off)
 *         printf("the first process is off the CPU for %lld ns\n", (long long)ival_length(&off[0]));
 *
 * A process is off the CPU while none of its threads is on a CPU, and no thread of a process without GPU work either: a
 * process without GPU work may prepare what the others need.  Before its first switch and after its last one the state
 * of a process is not known.  A thread that makes calls but has no switches is taken to be always on its CPU, so its
 * process is never off.
 */
#pragma once

#include "trace/trace.h"

/* By process: its times off the CPU and in no call, indexed (ival_index); none for a process without GPU work.  NULL:
 * the trace has no context switches. */
const ival_set *asleep_of(trace *t);
