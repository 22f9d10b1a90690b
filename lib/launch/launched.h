/*
 * launched - which work a call launched, and when work had been issued.
 *
 *     const launched *l = launched_of(t);        // needs TRACE_WORK and TRACE_LAUNCH
 *     size_t n;
 *     const uint32_t *work = launched_by(l, 0, &n);
 *     if (n)
 *         printf("call 0 launched %s\n", str_at(&t->names, work_name(&t->work, work[0])));
 */
#pragma once

#include "trace/trace.h"

typedef struct launched launched;

const launched *launched_of(trace *t);

/* The work that a call launched, in order of start.  Sets *n to the number of pieces.  This takes a search, so
 * projection_launched is faster for visiting all calls in order. */
const uint32_t *launched_by(const launched *l, uint32_t call, size_t *n);

/* Does the call replay a CUDA graph?  Other calls can launch several pieces of work too, because a copy can be made
 * in parts. */
bool launched_replays(const launched *l, uint32_t call);

/* The moment at which the work had been issued: when its launch call ended, or when the work itself or other work of
 * the same replay began, whichever is first.  INT64_MIN: the launch is not in the trace. */
int64_t launched_issued(const launched *l, size_t work);

/* work: the n pieces of one replay of a CUDA graph, in order of start; n is at least 1.  Sets replayed[i] to the piece
 * that ended last among those that started before work[i] and had ended when work[i] started; NONE: there is none.
 * room: scratch space for n pieces. */
void launched_find_replayed(const launched *l, const uint32_t *work, size_t n, uint32_t *replayed, uint32_t *room);
