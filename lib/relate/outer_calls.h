/*
 * outer_calls - the API calls of each thread that are not inside other calls.
 *
 *     const outer_calls *o = outer_calls_of(t);  // needs TRACE_CALLS and TRACE_CALL_TIMES
 *     size_t k = outer_calls_after(t, o, 0, 1000, SIZE_MAX);
 *     if (k < o->first[1])
 *         printf("thread 0 is in call %u at 1000 ns or enters it later\n", o->calls[k]);
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	uint32_t *calls;        /* those of thread t: calls[first[t]] up to calls[first[t + 1]], */
	size_t *first;          /* in order of start; they do not overlap */
} outer_calls;

const outer_calls *outer_calls_of(trace *t);

/* The first outermost call of the thread that ends after the moment: an index into calls, first[thread + 1]
 * if there is none.  It is found quickly if `near` is an index close to it; SIZE_MAX: search all. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t near);
