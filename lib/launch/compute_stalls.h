/*
 * compute_stalls - when a process computes nothing on its GPU, and what the next compute was waiting for.
 *
 *     const compute_stalls *a = compute_stalls_of(t);  // needs TRACE_WORK and TRACE_SYNCS
 *     stall_parts j = { 0 };
 *     lane_gap gap;
 *     const lane_gaps *gaps = compute_stalls_gaps(a);
 *     for (bool more = lane_gaps_from_work(gaps, 0, 0, &gap); more; more = lane_gaps_next(gaps, &gap)) {
 *         compute_stalls_divide_gap(a, &gap, &w->gpu, &j);   // the part of the gap that is in w
 *         printf("%lld ns starved\n", (long long)j.part[STALL_STARVED]);
 *     }
 *     stall_parts_free(&j);
 *
 * The compute that ends a gap, `next`, decides how the gap is divided.  The gap is starved until `next` has been
 * issued (launched_issued).  After that it is blocked while the producer of `next` ran (among the work that `next` had
 * to wait for, the piece that ends last: depends.h), or the producer of that producer, and so on.  The rest is stalled,
 * or unresolved if the chain of producers is not known.  share/conventions/stalls.md has the definitions.
 */
#pragma once

#include "base/memory.h"
#include "launch/depends.h"
#include "timeline/lane_gaps.h"

enum stall_part {
	STALL_STARVED,                  /* `next` had not been issued, or there is no `next` */
	STALL_COMM,                     /* a producer ran that communicates */
	STALL_COPY,                     /* a producer ran that is a copy or a set */
	STALL_COMPUTE,                  /* a producer ran that computes, which must be on another GPU */
	STALL_STALLED,                  /* `next` had been issued, and no producer ran */
	STALL_UNRESOLVED,               /* as STALL_STALLED, but the trace does not say all that `next` waited
					 * for; or the trace lacks the launch of `next` */
	STALL_PARTS
};

typedef struct {
	uint32_t work;
	enum stall_part part;
	int64_t ns;             /* how much of the gap it blocks inside the window */
} stall_producer;

typedef struct {
	int64_t part[STALL_PARTS];      /* by part: time in the window, ns */
	int64_t sync_wait;      /* the time of `waited` in the window, ns; it is part of the starved time */
	ival waited;            /* a time at the beginning of the gap: until the work ended that the launching or the
				 * main thread had waited for last before the launch of `next`, but at most until
				 * `issued`; empty if a >= b */
	int64_t issued;         /* when `next` had been issued, or the start of the gap if that is later; the gap is
				 * starved until then.  INT64_MIN: unknown, or there is no `next` */
	vec(stall_producer) producers;        /* the producers that block in the window, from the latest to the
					       * earliest */
	vec(ival) open;         /* scratch space: the time that no producer covers, from the latest to the earliest */
} stall_parts;

typedef struct compute_stalls compute_stalls;

const compute_stalls *compute_stalls_of(trace *t);

/* The gaps in the compute of each lane (trace_lane: a process's work on one GPU). */
const lane_gaps *compute_stalls_gaps(const compute_stalls *a);

/* Divide the part of a gap that is in the window.  j must be zeroed before its first use. */
void compute_stalls_divide_gap(const compute_stalls *a, const lane_gap *gap, const ival_set *window, stall_parts *j);

/* Divide all gaps of a lane.  part and sync_wait get the sums over them; the other members of j are scratch space. */
void compute_stalls_sum(const compute_stalls *a, size_t lane, const ival_set *window, stall_parts *j);

void stall_parts_free(stall_parts *j);

/* The name that columns use: starved, blocked_comm, ... */
const char *stall_part_name(enum stall_part p);
