/*
 * absence - when a process computes nothing on its GPU, and what the compute that comes next was waiting for.
 *
 *     const absence *a = absence_of(t);  // needs TRACE_WORK and TRACE_SYNCS
 *     absence_judgement j = { 0 };
 *     quiet_gap gap;
 *     for (bool more = quiet_first(absence_gaps(a), 0, 0, &gap); more; more = quiet_next(absence_gaps(a), &gap)) {
 *         absence_judge(a, &gap, &w->gpu, &j);   // the parts of the gap that are in w
 *         printf("%lld ns starved\n", (long long)j.part[ABSENCE_STARVED]);
 *     }
 *     absence_judgement_free(&j);
 *
 * A gap is judged by `next`, the compute that ends it.  Until that has been issued, it is starved.  After that it is
 * blocked while the producer of next ran (depends.h), or that producer's own, and so on as far back as the gap or the
 * issue; what is left is stalled, or unresolved where the chain is not known.  share/conventions/stalls.md has the
 * definitions.
 */
#pragma once

#include "base/memory.h"
#include "launch/depends.h"
#include "timeline/quiet.h"

enum absence_part {
	ABSENCE_STARVED,
	ABSENCE_COMM, ABSENCE_COPY, ABSENCE_COMPUTE,    /* blocked by that; compute of another GPU */
	ABSENCE_STALLED, ABSENCE_UNRESOLVED, ABSENCE_PARTS
};

typedef struct {
	uint32_t work;
	enum absence_part part;
	int64_t ns;             /* how long the gap is blocked by it, in the window */
} absence_producer;

typedef struct {
	int64_t part[ABSENCE_PARTS];    /* in the window */
	int64_t sync_wait;      /* of the starved part: until what the launching thread was waiting for had ended, */
	ival waited;            /* and when that is, in the gap; */
	int64_t issued;         /* when it ceases to be starved */
	vec(absence_producer) producers;        /* those that block, from next backwards */
	vec(ival) open;         /* what no producer covers, the last first: only while judging */
} absence_judgement;

typedef struct absence absence;

const absence *absence_of(trace *t);

/* The gaps in the compute of each lane. */
const quiet *absence_gaps(const absence *a);

void absence_judge(const absence *a, const quiet_gap *gap, const ival_set *window, absence_judgement *j);

/* The same of all gaps of a lane: parts and sync_wait are sums. */
void absence_sum(const absence *a, size_t lane, const ival_set *window, absence_judgement *j);

void absence_judgement_free(absence_judgement *j);

/* starved, blocked_comm, ... */
const char *absence_part_name(enum absence_part p);
