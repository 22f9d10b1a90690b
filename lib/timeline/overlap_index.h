/*
 * overlap_index - which of many intervals reach into a window, without looking at all of them for each window.
 *
 *     overlap_index index = overlap_index_build((ival[]){ { 20, 30 }, { 0, 90 }, { 5, 6 } }, 3);
 *     overlap_hits hits = { 0 };
 *     overlap_index_find(&index, (ival){ 25, 40 }, &hits);      // hits.v: 0, 1
 *     vec_free(&hits);
 *     overlap_index_free(&index);
 */
#pragma once

#include "trace/trace.h"

/* Numbers of intervals: their positions in the array that overlap_index_build got. */
typedef vec(uint32_t) overlap_hits;

typedef struct {
	size_t n;
	uint32_t *which;        /* the numbers of the intervals, in order of start */
	int64_t *start, *end;   /* start and end of each interval, in the order of `which` */
	trace_reach reach;      /* made of `end` */
} overlap_index;

overlap_index overlap_index_build(const ival *v, size_t n);

/* Put into `hits` the numbers, in rising order, of the intervals that start before w.b and end at w.a or later.  The
 * previous content of `hits` is dropped. */
void overlap_index_find(const overlap_index *index, ival w, overlap_hits *hits);

void overlap_index_free(overlap_index *index);

/* The index of a trace's start/end ranges, kept with the trace.  Needs TRACE_RANGES. */
const overlap_index *overlap_index_of_startend(trace *t);
