/*
 * lanes - the rows that a timeline shows of a process on a GPU: the work of each stream, and above it the ranges by
 * depth.  The streams are found once, by lanes_new.
 *
 *     lanes *l = lanes_new(t, 0, 0, AROUND_ADOPT);       // process 0, and t->lanes[0]: its work on a GPU
 *     for (size_t i = 0; i < l->nstreams; i++)
 *         printf("%zu\n", band_sum_up(&l->streams[i].all, (ival){ 1000, 2000 }).n);
 *     lanes_free(l);
 *
 * There are three ways to show ranges: push/pop ranges where the work launched in them runs on the GPU (their GPU
 * sides), push/pop ranges as one thread opened and closed them, or the start/end ranges of all threads.
 */
#pragma once

#include "base/pattern.h"
#include "launch/gpu_sides.h"
#include "tui/band.h"

enum { LANES_LEVELS = 16 };     /* deeper ranges are not shown */

typedef struct {
	uint32_t stream;        /* index in trace.streams */
	band all;               /* all work of the stream; its items are indices in trace.work */
	band kept;              /* the work that the filter keeps; empty without a filter */
} lanes_stream;

typedef struct {
	trace *t;
	uint32_t proc;
	size_t lane;            /* index in trace.lanes; SIZE_MAX: the process has no work */
	const around *around;   /* the range around each range, and the ranges by thread */
	int64_t *end;           /* a copy of trace.work.end, in which only the work of the lane is set */
	lanes_stream *streams;  size_t nstreams;
	bool filtered;          /* is there a filter? */

	enum lanes_ranges {
		LANES_GPU, LANES_THREAD, LANES_STARTEND
	} shown;                /* the ranges that are shown */
	uint32_t thread;        /* LANES_THREAD: the thread whose ranges are shown */
	gpu_sides sides;        /* LANES_GPU: when the work launched in each range runs */
	band level[LANES_LEVELS];       /* by depth.  Items are indices: in `sides` (LANES_GPU), in trace.pushpop
					 * (LANES_THREAD) or in trace.startend (LANES_STARTEND) */
	size_t nlevels;         /* the number of levels with ranges */
} lanes;

/* Needs TRACE_WORK, TRACE_LAUNCH and TRACE_RANGES.  flags: which ranges are around work, as for around_of
 * (launch/ranges_around.h); at least AROUND_WORK. */
lanes *lanes_new(trace *t, uint32_t proc, size_t lane, unsigned flags);
void lanes_free(lanes *l);

/* Set the filter: keep work whose short or demangled name matches (match NULL: any name) and that takes at least
 * `shortest` ns. */
void lanes_filter(lanes *l, const pattern *match, int64_t shortest);

/* The work of a stream that the filter keeps. */
static inline const band *lanes_kept(const lanes *l, size_t stream)
{
	return l->filtered ? &l->streams[stream].kept : &l->streams[stream].all;
}

/* Show the next ranges.  The order is: GPU sides, the ranges of each thread that has any, start/end ranges, and GPU
 * sides again. */
void lanes_next_ranges(lanes *l);

/* The name of an item of a level, a string of trace.names; STR_NONE: it has none. */
uint32_t lanes_range_name(const lanes *l, uint32_t item);
