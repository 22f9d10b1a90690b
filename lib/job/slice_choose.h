/*
 * slice_choose - what a slice of a trace must keep, so that questions about its windows have the same answers.
 *
 *     slice_keep *k = slice_choose(t, all);      // needs SLICE_NEEDS
 *     slice_keep_free(k);
 *
 * share/conventions/slice.md says what is kept, and why.
 */
#pragma once

#include "timeline/window.h"
#include "trace/slice_keep.h"

enum {
	SLICE_NEEDS = TRACE_WORK | TRACE_CALLS | TRACE_SYNCS | TRACE_RANGES | TRACE_FULL | TRACE_SHAPE |
		TRACE_MARKS | TRACE_CPU | TRACE_SWITCHES | TRACE_CAPTURES | TRACE_PAYLOADS | TRACE_METRICS
};

/* Decide what a slice made of these windows must keep.  The caller frees the result (slice_keep_free). */
slice_keep *slice_choose(trace *t, const windows *all);
