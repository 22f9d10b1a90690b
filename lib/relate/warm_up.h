/*
 * warm_up - when the processes of a trace say that they warm up.
 *
 *     ival_set *warm = warm_up_find(t);
 *     if (warm && ival_touches(&warm[0], 1000, 1000))
 *         puts("the first process warms up");
 *     warm_up_free(t, warm);
 */
#pragma once

#include "trace/trace.h"

/* By process: the union of the push/pop ranges outside NCCL's domain whose name says warm-up.  NULL if there are none,
 * or if no kernel is launched outside them.  Needs TRACE_LAUNCH and TRACE_RANGES. */
ival_set *warm_up_find(const trace *t);
void warm_up_free(const trace *t, ival_set *by_process);

/* Does a name say so? */
bool warm_up_says(const char *name);
