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

/* Among the work that starts before the moment, the piece that ends last.  If several pieces end last, the one of them
 * that starts last.  NONE: no work starts before the moment.  gpu -1: on all GPUs of the process.  Needs TRACE_WORK. */
uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* The first work that starts at the moment or later.  If several pieces start first, the one of them that was launched
 * first.  NONE: no work starts at the moment or later.  gpu -1: on all GPUs of the process.  Needs TRACE_WORK and
 * TRACE_LAUNCH. */
uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* Among the work that ended after span.a and by span.b, and started before `start`, the piece that ended last.  If
 * several pieces ended last, the one of them that started last.  NONE: there is no such work.
 * If `call` is not NONE, only work that was launched before this call counts; migrations (trace_is_migration) do not
 * count.  If the trace does not say which call launched a piece, it counts if it started before this call.
 * Takes longer if much work ended in `span` but started at `start` or later.  Needs TRACE_WORK and TRACE_LAUNCH. */
uint32_t process_work_ended(trace *t, uint32_t proc, ival span, uint32_t call, int64_t start);
