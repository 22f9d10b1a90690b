/*
 * slice_load - puts what is recorded of the whole trace into a slice of it that is being loaded.
 *
 *     slice_load_ids(t, &processes, &threads);   // before processes are numbered
 *     slice_load_counts(t);                      // before anything is made of the spans of processes
 *     slice_load_spans(t, TRACE_MARKS);          // once these are loaded, their spans, and so on
 *     slice_load_classes(t);                     // once streams are classified
 *
 * Each does nothing if the trace is no slice.
 */
#pragma once

#include "base/dict.h"
#include "trace/trace.h"

void slice_load_ids(trace *t, dict *processes, dict *threads);
void slice_load_counts(trace *t);
void slice_load_spans(trace *t, unsigned need);  /* TRACE_MARKS, TRACE_CPU, TRACE_METRICS */
void slice_load_classes(trace *t);
