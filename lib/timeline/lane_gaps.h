/*
 * quiet - when no work of some kind runs for a process on a GPU, and which work ends that.
 *
 *     const lane_gaps *q = lane_gaps_of(t, LANE_GAPS_COMPUTE);
 *     lane_gap gap;
 *     for (bool more = lane_gaps_first(q, 0, 0, &gap); more; more = lane_gaps_next(q, &gap))
 *         if (gap.next != NONE)
 *             printf("%lld\n", (long long)t->work.start[gap.next]);      // gap.b
 *
 * Work of zero length neither ends a gap nor divides it.  All functions that take a
 * const quiet may be called by several threads at a time, each with a gap of its own.
 */
#pragma once

#include "base/interval.h"
#include "trace/trace.h"

enum lane_gaps_kind {                 /* what must not run */
	LANE_GAPS_WORK, LANE_GAPS_KERNELS, LANE_GAPS_COMPUTE,
	LANE_GAPS_BESIDE_COMM       /* compute, too, but of lanes without communication nothing is known */
};

/* Gaps are found when a caller asks for them.  A record is kept for each LANE_GAPS_BLOCK pieces of a lane's work, and
 * one for its end, so that a search is quick wherever it begins. */
enum { LANE_GAPS_BLOCK = 256 };

typedef struct {
	size_t from;            /* its first work, or the end of the lane */
	int64_t reach;          /* when such work before it ends */
	size_t open;            /* the first from it on that begins a busy stretch, or the end of the lane */
} lane_gaps_block;

typedef struct {
	const trace *t;
	enum lane_gaps_kind of;
	lane_gaps_block *blocks;
	size_t nblocks, *first; /* by lane: its first block */
	ival_set *busy;         /* LANE_GAPS_BESIDE_COMM, by lane: when such work runs */
} lane_gaps;

typedef struct {
	int64_t a, b;           /* from a to b; INT64_MIN, INT64_MAX if no such work precedes or follows */
	uint32_t next;          /* the work that ends it (of several, the one launched first), or NONE */
	size_t lane, at;        /* of the work that starts at b the first in order, or the end of the lane */
} lane_gap;

/* Needs TRACE_WORK; without TRACE_LAUNCH, next is the first in order of work. */
const lane_gaps *lane_gaps_of(trace *t, enum lane_gaps_kind of);

/* The gaps of a lane in order, from the first that ends with work `at` or later, or after the moment; false: there are
 * no more. */
bool lane_gaps_first(const lane_gaps *q, size_t lane, size_t at, lane_gap *gap);
bool lane_gaps_from(const lane_gaps *q, size_t lane, int64_t moment, lane_gap *gap);
bool lane_gaps_next(const lane_gaps *q, lane_gap *gap);

/* When such work of a lane runs, as a new set that the caller frees. */
ival_set lane_gaps_busy(const lane_gaps *q, size_t lane);

/* The work of the lane that starts at the moment (of several, the one launched first), or NONE. */
uint32_t lane_gaps_work_at(const lane_gaps *q, size_t lane, int64_t moment);

/* The work that ended where the gap begins (of several, the one that started last), or NONE. */
uint32_t lane_gaps_work_before(const lane_gaps *q, const lane_gap *gap);
