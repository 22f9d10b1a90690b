/*
 * order_ranges - makes domains, names of threads, the setup label of each process, and sorted ranges and marks from the
 * NVTX events that load_nvtx.h read.  A setup label is a text such as "rank=2; pp=1/2 ...; mbs=1 ...", with which a
 * process says its rank, its position in the mesh of ranks, and the settings of the run.
 *
 *     order_ranges_number(t, &raw);              // once processes and threads are numbered
 *     order_ranges_build(t, need, &raw);         // once the spans of processes are known
 */
#pragma once

#include "trace/load_nvtx.h"

void order_ranges_number(trace *t, const nvtx_raw *raw);   /* set nvtx_part.thread, widen process spans, read labels */
void order_ranges_build(trace *t, unsigned need, nvtx_raw *raw);           /* build domains, names of threads, ranges */
void order_ranges_build_marks(trace *t, unsigned need, const nvtx_raw *raw); /* build trace.marks, after ranges */
