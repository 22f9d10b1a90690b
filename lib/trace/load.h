/*
 * load - fills a trace with what a tool needs: reads the tables, numbers processes and threads, puts
 * events in order and joins work to its calls.
 *
 *     trace *t = trace_open("run.sqlite", 2);    // NULL: the reason was printed
 *     load_trace(t, TRACE_WORK | TRACE_LAUNCH, NULL);
 */
#ifndef LOAD_H
#define LOAD_H

#include "trace/trace.h"

/* Load what is needed.  comm is the rule for communication kernels, a compiled regex_t, or NULL
 * for names that begin with nccl.  False after a complaint. */
bool load_trace(trace *t, unsigned need, const void *comm);

#endif
