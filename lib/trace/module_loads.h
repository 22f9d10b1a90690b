/*
 * module_loads - when a process last loaded code: compilation, autotuning and first calls come before that.
 *
 *     int64_t *last = module_loads_last(t);
 *     if (last[0] != TRACE_UNKNOWN)
 *         printf("the first process, at %lld\n", (long long)last[0]);
 *     free(last);
 */
#pragma once

#include "trace/trace.h"

/* By process: when the last call that loads a module or a library starts; TRACE_UNKNOWN if there is none.  It reads the
 * table of calls, whatever was loaded. */
int64_t *module_loads_last(const trace *t);
