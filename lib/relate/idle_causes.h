/*
 * blame - idle stretches of a process's GPU, and whose fault they are.
 *
 *     blame *b = blame_build(t, false);
 *     size_t first = blame_after(b, lane, from);
 *     for (bool more = blame_first(b, lane, first, &gap); more; more = blame_next(b, &gap))
 *         blame_judge(b, &gap, &window, part);   // gap.cause, and the parts by cause
 *     blame_free(b);
 *
 * The causes are those of share/conventions.md: a gap is judged by `next`, the
 * work that ends it, and by what the thread that launched it was doing.
 */
#ifndef BLAME_H
#define BLAME_H

#include "base/interval.h"
#include "trace/trace.h"

enum blame_cause {              /* in the order that breaks ties */
	BLAME_QUEUED, BLAME_LAUNCH, BLAME_SYNC, BLAME_MEMORY, BLAME_API, BLAME_HOST, BLAME_UNKNOWN,
	BLAME_EDGE, BLAME_CAUSES
};

typedef struct {
	int64_t a, b;           /* idle; INT64_MIN or INT64_MAX where no work precedes or follows */
	uint32_t next;          /* the work that ends it, or NONE */
	enum blame_cause cause; /* set by blame_judge */
	size_t lane, at;        /* where it stands: number `at` of its lane, from 0 */
	size_t work;            /* the first work that starts at b or later */
	struct { uint32_t thread; size_t call; } near[8];       /* what threads were doing lately */
} blame_gap;

typedef struct blame blame;

/* kernels: copies and sets do not make the GPU busy. */
blame *blame_build(trace *t, bool kernels);
void blame_free(blame *b);

/* The gaps of a lane in order, from number `at`; false: no more.  Several threads may each have a gap
 * of their own at hand. */
bool blame_first(const blame *b, size_t lane, size_t at, blame_gap *gap);
bool blame_next(const blame *b, blame_gap *gap);

/* The number of the first gap of a lane that ends after the moment. */
size_t blame_after(const blame *b, size_t lane, int64_t moment);

/* Decide the cause of the whole gap, and how much of each cause lies in the window. */
void blame_judge(const blame *b, blame_gap *gap, ival_set *window, int64_t part[BLAME_CAUSES]);

/* The work that ended where the gap begins, or NONE. */
uint32_t blame_prev(const blame *b, const blame_gap *gap);

/* Strings, STR_NONE for none: the launching thread's call with the most time in the gap, and its
 * innermost range that holds most of it. */
uint32_t blame_api(const blame *b, const blame_gap *gap);
uint32_t blame_range(const blame *b, const blame_gap *gap);

const char *blame_cause_name(enum blame_cause c);

/* When the lane is busy. */
const ival_set *blame_busy(const blame *b, size_t lane);

#endif
