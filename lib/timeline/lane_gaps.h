/*
 * lane_gaps - when no work of some kind runs for a process on a GPU, and which work ends the gap.
 *
 *     const lane_gaps *q = lane_gaps_of(t, LANE_GAPS_COMPUTE);
 *     lane_gap gap;
 *     for (bool more = lane_gaps_first(q, 0, 0, &gap); more; more = lane_gaps_next(q, &gap))
 *         if (gap.next != NONE)
 *             printf("%lld\n", (long long)t->work.start[gap.next]);      // gap.b
 *
 * Work of zero length neither ends a gap nor divides it.  Several threads may use a const lane_gaps at the same time,
 * each with a lane_gap of its own.
 */
#pragma once

#include "base/interval.h"
#include "trace/trace.h"

enum lane_gaps_kind {           /* the work that must not run in a gap */
	LANE_GAPS_WORK,         /* work of any kind */
	LANE_GAPS_KERNELS,      /* kernels and graphs */
	LANE_GAPS_COMPUTE,      /* kernels and graphs that do not communicate */
	LANE_GAPS_BESIDE_COMM   /* as LANE_GAPS_COMPUTE, but only lanes that also have communication can be asked for */
};

/* Gaps are found when a caller asks for them.  For quick searches, a lane_gaps_block describes every LANE_GAPS_BLOCK
 * pieces of a lane's work, and one more the end of the lane. */
enum { LANE_GAPS_BLOCK = 256 };

typedef struct {
	size_t from;            /* the first work of the block, or the end of the lane */
	int64_t reach;          /* the latest end of work of the kind before `from` */
	size_t open;            /* the first work from `from` on that begins a busy stretch; or the end of the lane */
} lane_gaps_block;

typedef struct {
	const trace *t;
	enum lane_gaps_kind of;
	lane_gaps_block *blocks;        /* lane by lane */
	size_t nblocks, *first; /* nblocks: of all lanes together; first: by lane, the index of its first block */
	ival_set *busy;         /* by lane: when work of the kind runs; NULL unless LANE_GAPS_BESIDE_COMM */
} lane_gaps;

typedef struct {
	int64_t a, b;           /* the gap; a is INT64_MIN if no work of the kind precedes it, b is INT64_MAX if none
				 * follows */
	uint32_t next;          /* the work that ends the gap, launched first if several pieces start there; or NONE */
	size_t lane, at;        /* at: the first work of the kind on the lane, zero lengths aside, that starts at b; or
				 * the end of the lane */
} lane_gap;

/* Needs TRACE_WORK.  Without TRACE_LAUNCH, if several pieces start at the end of a gap, `next` is the first in order of
 * work. */
const lane_gaps *lane_gaps_of(trace *t, enum lane_gaps_kind of);

/* The gaps of a lane, in order: the first gap that ends with work `at` or later (lane_gaps_first) or after the moment
 * (lane_gaps_from), then the next ones.  The last gap of a lane ends at INT64_MAX.  False: there are no more. */
bool lane_gaps_first(const lane_gaps *q, size_t lane, size_t at, lane_gap *gap);
bool lane_gaps_from(const lane_gaps *q, size_t lane, int64_t moment, lane_gap *gap);
bool lane_gaps_next(const lane_gaps *q, lane_gap *gap);

/* The time in which work of the kind runs on a lane, as a new set that the caller frees. */
ival_set lane_gaps_busy(const lane_gaps *q, size_t lane);

/* The work of the kind that starts on the lane at the moment, zero lengths aside, launched first if there are several
 * pieces; or NONE. */
uint32_t lane_gaps_work_at(const lane_gaps *q, size_t lane, int64_t moment);

/* The work of the kind that ended where the gap begins, started last if there are several pieces; or NONE. */
uint32_t lane_gaps_work_before(const lane_gaps *q, const lane_gap *gap);
