/*
 * outer_calls - the API calls of each thread that are not inside other calls.
 *
 *     const outer_calls *o = outer_calls_of(t);  // needs TRACE_CALLS
 *     size_t k = outer_calls_after(t, o, 0, 1000, SIZE_MAX);
 *     if (k < o->first[1])
 *         printf("thread 0 is in call %u at 1000 ns or enters it later\n", outer_call(o, k));
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	size_t *first;          /* by thread: where its calls begin in `call`; the last entry is the number of calls */
	uint32_t *call;         /* indices of the outermost calls, by thread, then start; those of one thread do not
				 * overlap */
} outer_calls;

const outer_calls *outer_calls_of(trace *t);

static inline uint32_t outer_call(const outer_calls *o, size_t k)
{
	return o->call[k];
}

/* The first outermost call of the thread that ends after the moment, as an index for outer_call; first[thread + 1]:
 * there is none.  from: an index close to the result makes the search quick; SIZE_MAX: search all. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t from);
