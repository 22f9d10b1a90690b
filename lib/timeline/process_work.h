/*
 * process_work - which work of a process runs at a moment, which comes next, and which ended last.
 *
 *     uint32_t last = process_work_last(t, 0, -1, 5000);         // of process 0, on any GPU
 *     puts(last != NONE && t->work.end[last] >= 5000 ? "the GPU is busy" : "the GPU is idle");
 *
 * Each call takes one search for each GPU of the process.
 */
#pragma once

#include "trace/trace.h"

/* The piece of work that ends last of those that start before the moment; of several, the one that starts last.
 * NONE if there is none.  gpu -1: on all GPUs of the process.  Needs TRACE_WORK. */
uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* The first work that starts at the moment or later; of several, the one launched first.  Needs TRACE_LAUNCH too. */
uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment);

/* The piece that ended last of the work that ended after in.a and by in.b, started before `start` and, unless call
 * is NONE, was launched before that call began (or started before it, if the trace does not say who launched it).
 * Of several, the one that started last.  Work that ended there but started later is skipped piece by piece.  Needs
 * TRACE_LAUNCH too. */
uint32_t process_work_ended(trace *t, uint32_t proc, ival in, uint32_t call, int64_t start);
