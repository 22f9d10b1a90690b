/*
 * absence - when a process computes nothing on its GPU, and what the compute that comes next was waiting for.
 *
 *     const compute_stalls *a = compute_stalls_of(t);  // needs TRACE_WORK and TRACE_SYNCS
 *     stall_parts j = { 0 };
 *     lane_gap gap;
 *     const lane_gaps *gaps = compute_stalls_gaps(a);
 *     for (bool more = lane_gaps_first(gaps, 0, 0, &gap); more; more = lane_gaps_next(gaps, &gap)) {
 *         compute_stalls_judge(a, &gap, &w->gpu, &j);   // the parts of the gap that are in w
 *         printf("%lld ns starved\n", (long long)j.part[STALL_STARVED]);
 *     }
 *     stall_parts_free(&j);
 *
 * A gap is judged by `next`, the compute that ends it.  Until that has been issued, it is starved.  After that it is
 * blocked while the producer of next ran (depends.h), or that producer's own, and so on as far back as the gap or the
 * issue; what is left is stalled, or unresolved where the chain is not known.  share/conventions/stalls.md has the
 * definitions.
 */
#pragma once

#include "base/memory.h"
#include "launch/depends.h"
#include "timeline/lane_gaps.h"

enum stall_part {
	STALL_STARVED,
	STALL_COMM, STALL_COPY, STALL_COMPUTE,    /* blocked by that; compute of another GPU */
	STALL_STALLED, STALL_UNRESOLVED, STALL_PARTS
};

typedef struct {
	uint32_t work;
	enum stall_part part;
	int64_t ns;             /* how long the gap is blocked by it, in the window */
} stall_producer;

typedef struct {
	int64_t part[STALL_PARTS];    /* in the window */
	int64_t sync_wait;      /* of the starved part: until what the launching thread was waiting for had ended, */
	ival waited;            /* and when that is, in the gap; */
	int64_t issued;         /* when it ceases to be starved */
	vec(stall_producer) producers;        /* those that block, from next backwards */
	vec(ival) open;         /* what no producer covers, the last first: only while judging */
} stall_parts;

typedef struct compute_stalls compute_stalls;

const compute_stalls *compute_stalls_of(trace *t);

/* The gaps in the compute of each lane. */
const lane_gaps *compute_stalls_gaps(const compute_stalls *a);

void compute_stalls_judge(const compute_stalls *a, const lane_gap *gap, const ival_set *window, stall_parts *j);

/* The same of all gaps of a lane: parts and sync_wait are sums. */
void compute_stalls_sum(const compute_stalls *a, size_t lane, const ival_set *window, stall_parts *j);

void stall_parts_free(stall_parts *j);

/* starved, blocked_comm, ... */
const char *stall_part_name(enum stall_part p);
