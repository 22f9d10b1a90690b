/*
 * asleep - when a process was off the CPU and in no call, and so waited for something, by its context switches.
 *
 *     const ival_set *off = asleep_of(t);        // by process
 *     if (off)
 *         printf("the first process is off the CPU for %lld ns\n", (long long)ival_length(&off[0]));
 *
 * A process is off the CPU while no CPU runs one of its own threads or a thread of any process without GPU work.
 * Processes without GPU work count because they may prepare what the others need.  A process is not taken to be off
 * before its first switch and after its last one, because its state is not known then.  A thread that makes calls but
 * has no switches is taken to be always on a CPU, so its process is never off.
 */
#pragma once

#include "trace/trace.h"

/* An array with an element for each process: its times off the CPU and in no call, indexed (ival_index); none for a
 * process without GPU work.  NULL: the trace has no context switches.  Needs TRACE_WORK and TRACE_CALLS. */
const ival_set *asleep_of(trace *t);
