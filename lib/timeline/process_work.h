/*
 * process_work - which work of a process runs at a moment, which comes next, and which ended last.
 *
 *     uint32_t last = process_work_last(t, 0, -1, 5000);         // of process 0, on any GPU
 *     puts(last != NONE && t->work.end[last] >= 5000 ? "the GPU is busy" : "the GPU is idle");
 *
 * Each question takes a search for each GPU of the process.
 */
#pragma once

#include "trace/trace.h"

/* Of the work that starts before the moment, the piece that ends last; of several, the one that starts last.  NONE if
 * there is none.  gpu -1: on all GPUs of the process.  Needs TRACE_WORK. */
uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* The first work that starts at the moment or later; of several, the one launched first.  With TRACE_LAUNCH. */
uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* Of the work that ended after in.a and by in.b, started before `start` and, unless call is NONE, was launched before
 * that call began (or started, if the trace does not say who launched it), the piece that ended last; of several, the
 * one that started last.  What ended there and started later is passed over one by one.  With TRACE_LAUNCH. */
uint32_t process_work_ended(trace *t, uint32_t proc, ival in, uint32_t call, int64_t start);
