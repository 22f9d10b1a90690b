/*
 * told - which work may have waited for an event: its stream was told to wait for one after it was given the work
 * before, or it is not known which stream that is.
 *
 *     const told *w = told_of(t);                // needs TRACE_WORK, and TRACE_SYNCS or TRACE_IDLE
 *     if (!told_to_wait(w, 0))
 *         puts("work 0 waited for its stream alone");
 *
 * That is what depends_waits and depends_streamless say, too; but to find out which events takes ten times as long.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	uint8_t *bits;          /* by work */
} told;

const told *told_of(trace *t);

static inline bool told_to_wait(const told *w, size_t work)
{
	return w->bits[work / 8] >> work % 8 & 1;
}
