/*
 * process_work - which work of a process runs at a moment, which comes next, and which ended last.
 *
 *     uint32_t last = process_work_last(t, 0, -1, 5000);         // of process 0, on any GPU
 *     puts(last != NONE && t->work.end[last] >= 5000 ? "the GPU is busy" : "the GPU is idle");
 *
 * process_work_last and process_work_next take one search for each GPU of the process.
 */
#pragma once

#include "trace/trace.h"

/* Among the work that starts before the moment, the piece that ends last; at equal ends the one that starts last.
 * NONE: there is no such work.  gpu -1: on all GPUs of the process.  Needs TRACE_WORK. */
uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* The first work that starts at the moment or later; at equal starts the one launched first.  gpu and NONE as for
 * process_work_last.  Needs TRACE_LAUNCH too. */
uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* Among the work that ended after in.a and by in.b, and started before `start`, the piece that ended last; at equal
 * ends the one that started last.  NONE: there is no such work.  `call` is NONE or a call before which the work must
 * have been launched.  If the trace does not say when work was launched, the work must have started before that call,
 * and be no migration.  Takes longer if much work ended in time but started at `start` or later.  Needs TRACE_LAUNCH
 * too. */
uint32_t process_work_ended(trace *t, uint32_t proc, ival in, uint32_t call, int64_t start);
