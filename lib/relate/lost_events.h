/*
 * lost - signs that a capture lost events, of which every per-rank tool warns.
 */
#ifndef LOST_H
#define LOST_H

#include "trace/trace.h"

/* Call say for each sign; work, and the counts of ranges and calls, must be loaded. */
void lost_find(const trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* Print each sign as a warning. */
void lost_warn(const trace *t);

#endif
