/*
 * lanes - what a timeline shows of a process on a GPU, found once when it is opened: the work of each stream, and the
 * ranges by depth above it.
 *
 *     lanes *l = lanes_new(t, 0, 0, AROUND_ADOPT);       // of process 0, on its GPU of lane 0
 *     for (size_t i = 0; i < l->nstreams; i++)
 *         printf("%zu\n", band_in(&l->streams[i].all, (ival){ 1000, 2000 }).n);
 *     lanes_free(l);
 *
 * Ranges are shown by their GPU side, where the work runs that was launched in them, or as a thread opened and closed
 * them; start/end ranges, which belong to no thread, by themselves.  The items of bands of streams are work.
 */
#pragma once

#include "base/pattern.h"
#include "launch/gpu_sides.h"
#include "tui/band.h"

enum { LANES_LEVELS = 16 };     /* depths that can be shown; deeper ranges are not */

typedef struct {
	uint32_t stream;        /* of the trace */
	band all;
	band kept;              /* what the filter leaves */
} lanes_stream;

typedef struct {
	trace *t;
	uint32_t proc;
	size_t lane;            /* SIZE_MAX: the process has no work */
	const around *around;
	int64_t *end;           /* by work: of that of the lane */
	lanes_stream *streams;  size_t nstreams;
	bool filtered;          /* is something left out of kept?  If not, it is empty */

	enum lanes_ranges {
		LANES_GPU, LANES_THREAD, LANES_STARTEND
	} shown;                /* which ranges are, */
	uint32_t thread;        /* and whose, of a thread */
	gpu_sides sides;
	band level[LANES_LEVELS];
	size_t nlevels;
} lanes;

/* Needs TRACE_WORK, TRACE_LAUNCH and TRACE_RANGES.  what: AROUND_WORK or more. */
lanes *lanes_new(trace *t, uint32_t proc, size_t lane, unsigned what);
void lanes_free(lanes *l);

/* Keep the work whose short or demangled name matches (NULL: any) and that takes at least so long. */
void lanes_filter(lanes *l, const pattern *match, int64_t shortest);

/* The work of a stream that the filter leaves. */
static inline const band *lanes_kept(const lanes *l, size_t stream)
{
	return l->filtered ? &l->streams[stream].kept : &l->streams[stream].all;
}

/* Show others: from the GPU sides to those of each thread that has some, to start/end ranges, and to the GPU sides
 * again. */
void lanes_next_ranges(lanes *l);

/* The name of an item of a level: a string, or STR_NONE. */
uint32_t lanes_range_name(const lanes *l, uint32_t item);
