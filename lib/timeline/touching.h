/*
 * touching - which of many intervals reach into a window, without a look at all of them for each window.
 *
 *     touching k = touching_of((ival[]){ { 20, 30 }, { 0, 90 }, { 5, 6 } }, 3);
 *     touched in = { 0 };
 *     touching_in(&k, (ival){ 25, 40 }, &in);            // 0 and 1
 *     vec_free(&in);
 *     touching_free(&k);
 */
#pragma once

#include "trace/trace.h"

typedef vec(uint32_t) touched;

typedef struct {
	size_t n;
	uint32_t *which;        /* in order of start */
	int64_t *start, *end;
	trace_reach reach;
} touching;

touching touching_of(const ival *v, size_t n);

/* Those that start before in.b and end at in.a or later, in their order, instead of what is in `to`. */
void touching_in(const touching *k, ival in, touched *to);

void touching_free(touching *k);

/* Of the start/end ranges of a trace, which keeps it. */
const touching *touching_startend(trace *t);
