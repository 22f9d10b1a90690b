/*
 * outer_calls - the API calls of each thread that are not inside other calls.
 *
 *     const outer_calls *o = outer_calls_of(t);  // needs TRACE_CALLS and TRACE_CALL_TIMES
 *     size_t k = outer_calls_after(t, o, 0, 1000, SIZE_MAX);
 *     if (k < o->first[1])
 *         printf("thread 0 is in call %u at 1000 ns or enters it later\n", outer_call(o, k));
 */
#pragma once

#include "trace/trace.h"

enum { OUTER_BLOCK = 64 };

/* Nearly all calls are outermost, and those of a thread follow each other closely.  So most are stored in 16 bits: how
 * far they are from a call before them. */
typedef struct {
	size_t *first;          /* by thread: where its own begin, and at the end where the last ones end */
	struct {
		uint32_t call;  /* how far its calls are from this one is in after, */
		uint32_t whole; /* unless this is not NONE: then they are in whole, from here on */
	} *blocks;
	uint16_t *after;
	uint32_t *whole;
} outer_calls;

const outer_calls *outer_calls_of(trace *t);

/* Those of a thread are in order of start; they do not overlap. */
static inline uint32_t outer_call(const outer_calls *o, size_t k)
{
	uint32_t whole = o->blocks[k / OUTER_BLOCK].whole;

	return whole == NONE ? o->blocks[k / OUTER_BLOCK].call + o->after[k] : o->whole[whole + k % OUTER_BLOCK];
}

/* The first outermost call of the thread that ends after the moment: a number for outer_call, first[thread + 1]
 * if there is none.  It is found quickly if `near` is an index close to it; SIZE_MAX: search all. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t near);
