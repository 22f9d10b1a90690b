/*
 * range - makes ranges of what was read of NVTX: domains, thread names, the setup label of each process
 * (rank=2; pp=1/2 ...; mbs=1 ...), and the order of trace.pushpop and trace.startend.
 */
#ifndef RANGE_H
#define RANGE_H

#include "trace/load_nvtx.h"

void range_number(trace *t, const nvtx_raw *raw);   /* widen the spans of processes, and label them */
void range_build(trace *t, unsigned need, nvtx_raw *raw);

#endif
