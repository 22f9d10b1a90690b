/*
 * range - loads NVTX into trace.pushpop and trace.startend, with domains, thread names and the
 * setup label of each process (rank=2; pp=1/2 ...; mbs=1 ...).
 */
#ifndef RANGE_H
#define RANGE_H

#include "trace.h"

enum { RANGE_COLS = 7 };

typedef struct {
	scan_col col[RANGE_COLS];
	size_t n;
} range_raw;

/* Without TRACE_RANGES in need only the setup labels are read. */
bool range_scan(trace *t, unsigned need, range_raw *raw);
void range_ids(const range_raw *raw, dict *processes, dict *threads);
void range_span(trace *t, const range_raw *raw);   /* widen the spans of processes */
void range_build(trace *t, unsigned need, range_raw *raw);
void range_raw_free(range_raw *raw);

#endif
