/*
 * picture - what a timeline of some windows shows, and where: work on tracks, ranges and calls of threads, arrows.
 *
 *     picture *p = picture_build(t, all, AROUND_WORK);
 *     ival arrow;
 *     if (t->work.n && picture_arrow(p, 0, &arrow))
 *         printf("launched at %lld, arrives at %lld\n", (long long)arrow.a, (long long)arrow.b);
 *     picture_free(p);
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "relate/slices.h"
#include "relate/tracks.h"

typedef struct {
	trace *t;
	around *around;
	shown *shown;
	tracks *tracks;
	slices *slices;
} picture;

/* what: AROUND_WORK or AROUND_ADOPT.  Needs TRACE_WORK, TRACE_LAUNCH and what slices need; all must outlive it. */
picture *picture_build(trace *t, const windows *all, unsigned what);
void picture_free(picture *p);

/* The arrow from the call that launched a piece of work to the work: from when to when.  False if either is not shown,
 * crosses others, or the work is over when the call begins, as clocks that differ can make it. */
bool picture_arrow(const picture *p, size_t work, ival *arrow);

/* What is shown of a piece of work. */
ival picture_work(const picture *p, size_t lane, size_t work);

#endif
