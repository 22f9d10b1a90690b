/*
 * slice_choose - what a slice of a trace must keep, so that every question about its windows has the same answer.
 *
 *     slice_facts facts = { 0 };
 *     slice_keep *k = slice_choose(t, all, &facts);      // needs SLICE_NEEDS; facts: what is known of the whole trace
 *     slice_facts_free(&facts);
 *     slice_keep_free(k);
 *
 * share/conventions/slice.md says what is kept, and why.
 */
#pragma once

#include "relate/job.h"
#include "relate/window.h"
#include "trace/slice_facts.h"
#include "trace/slice_keep.h"

enum {
	SLICE_NEEDS = TRACE_WORK | TRACE_CALLS | TRACE_SYNCS | TRACE_RANGES | TRACE_SHAPE | TRACE_MARKS |
		TRACE_CPU | TRACE_SWITCHES | TRACE_CAPTURES | TRACE_PAYLOADS | TRACE_METRICS
};

slice_keep *slice_choose(trace *t, const windows *all, slice_facts *facts);

/* Record what the tools read from the whole trace; j: its communication, matched.  kernel: by work, that of the job. */
void slice_record(trace *t, const windows *all, const slice_keep *k, const job *j, const uint32_t *kernel,
		  slice_facts *facts);
