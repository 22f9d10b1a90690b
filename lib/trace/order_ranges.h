/*
 * order_ranges - turns the NVTX events that were read into ranges: domains, thread names, the setup label of each
 * process ("rank=2; pp=1/2 ...; mbs=1 ..."), and the order of trace.pushpop, trace.startend and trace.marks.
 *
 *     order_ranges_number(t, &raw);              // once processes and threads are numbered
 *     order_ranges_build(t, need, &raw);         // once the spans of processes are known
 */
#pragma once

#include "trace/load_nvtx.h"

void order_ranges_number(trace *t, const nvtx_raw *raw);   /* widen the spans of processes; read labels */
void order_ranges_build(trace *t, unsigned need, nvtx_raw *raw);
void order_ranges_marks(trace *t, unsigned need, const nvtx_raw *raw);     /* build trace.marks, after the ranges */
