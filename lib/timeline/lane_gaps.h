/*
 * lane_gaps - the gaps of a lane: when no work of some kind runs for a process on a GPU, and which work ends the gap.
 *
 *     const lane_gaps *gaps = lane_gaps_of(t, LANE_GAPS_COMPUTE);
 *     lane_gap gap;
 *     for (bool more = lane_gaps_from_work(gaps, 0, 0, &gap); more; more = lane_gaps_next(gaps, &gap))
 *         if (gap.next != NONE)
 *             printf("%lld\n", (long long)t->work.start[gap.next]);      // gap.b
 *
 * Work of zero length is ignored: it neither ends a gap nor divides it.  Several threads may use a const lane_gaps at
 * the same time, each with a lane_gap of its own.
 */
#pragma once

#include "base/interval.h"
#include "trace/trace.h"

enum lane_gaps_kind {           /* the work that must not run in a gap */
	LANE_GAPS_WORK,         /* work of any kind */
	LANE_GAPS_KERNELS,      /* kernels and graphs */
	LANE_GAPS_COMPUTE,      /* kernels and graphs that do not communicate */
	LANE_GAPS_BESIDE_COMM   /* as LANE_GAPS_COMPUTE, but callers may ask only for lanes that also have
				 * communication */
};

/* A busy stretch is a time in which work of that kind runs without a gap.  Gaps are computed when a caller asks for
 * them.  To find them quickly, each LANE_GAPS_BLOCK pieces of a lane's work have a lane_gaps_block, and so has the end
 * of the lane. */
enum { LANE_GAPS_BLOCK = 256 };

typedef struct {
	size_t from;            /* the index in trace.work of the first piece of the block, or the end of the lane */
	int64_t reach;          /* the latest end of work of the kind before `from`; INT64_MIN: there is none */
	size_t open;            /* the index of the first piece, from `from` on, that begins a busy stretch; the end of
				 * the lane if there is none */
} lane_gaps_block;

typedef struct {
	const trace *t;
	enum lane_gaps_kind kind;       /* the work that must not run in a gap */
	lane_gaps_block *blocks;        /* the blocks of all lanes, lane by lane */
	size_t nblocks;         /* the number of blocks of all lanes together */
	size_t *first;          /* by lane: the index of its first block */
	ival_set *busy;         /* by lane: its busy stretches, empty for a lane without communication; NULL unless
				 * LANE_GAPS_BESIDE_COMM */
} lane_gaps;

typedef struct {
	int64_t a, b;           /* the gap; a is INT64_MIN if no work of the kind precedes it, b is INT64_MAX if none
				 * follows */
	uint32_t next;          /* the work that ends the gap: the first launched, if several pieces start at b; NONE:
				 * no work does */
	size_t lane;            /* the lane of the gap */
	size_t at;              /* the index in trace.work of the first work of the kind that starts at b; the end of
				 * the lane if b is INT64_MAX */
} lane_gap;

/* Needs TRACE_WORK.  Without TRACE_LAUNCH, if several pieces start at the end of a gap, `next` is the first in
 * trace.work. */
const lane_gaps *lane_gaps_of(trace *t, enum lane_gaps_kind kind);

/* Find the first gap of a lane that ends at the start of the given work or of later work, or at INT64_MAX.  work: an
 * index of trace.work.  False: it is beyond the end of the lane. */
bool lane_gaps_from_work(const lane_gaps *g, size_t lane, size_t work, lane_gap *gap);

/* Find the first gap of a lane that ends after the moment.  Always true. */
bool lane_gaps_from(const lane_gaps *g, size_t lane, int64_t moment, lane_gap *gap);

/* Go on to the next gap of the lane.  The last one ends at INT64_MAX.  False: the gap was the last one, and is
 * unchanged. */
bool lane_gaps_next(const lane_gaps *g, lane_gap *gap);

/* The busy stretches of a lane, as a new set that the caller frees. */
ival_set lane_gaps_busy(const lane_gaps *g, size_t lane);

/* The work of the kind, longer than zero, that starts on the lane at the moment; if several pieces do, the one launched
 * first.  NONE: there is none. */
uint32_t lane_gaps_work_at(const lane_gaps *g, size_t lane, int64_t moment);

/* The work of the kind that ends where the gap begins; if several pieces do, the one that started last.  NONE: there is
 * none. */
uint32_t lane_gaps_work_before(const lane_gaps *g, const lane_gap *gap);
