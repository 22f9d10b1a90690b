/*
 * scene - what a timeline of some windows shows, and where: work on tracks, ranges and calls of threads, arrows.
 *
 *     scene *p = scene_build(t, all, AROUND_WORK);
 *     ival arrow;
 *     if (t->work.n && scene_arrow(p, 0, &arrow))
 *         printf("launched at %lld, arrives at %lld\n", (long long)arrow.a, (long long)arrow.b);
 *     scene_free(p);
 */
#ifndef SCENE_H
#define SCENE_H

#include "picture/slices.h"
#include "picture/tracks.h"

typedef struct {
	trace *t;
	around *around;
	shown *shown;
	tracks *tracks;
	slices *slices;
} scene;

/* what: see around_what.  Needs TRACE_WORK, TRACE_LAUNCH and what slices need; all must outlive it. */
scene *scene_build(trace *t, const windows *all, unsigned what);
void scene_free(scene *p);

/* The arrow from the call that launched a piece of work to the work: from when to when.  False if either is not shown,
 * crosses others, or the work is over when the call begins, as clocks that differ can make it. */
bool scene_arrow(const scene *p, size_t work, ival *arrow);

/* What is shown of a piece of work. */
ival scene_work(const scene *p, size_t lane, size_t work);

#endif
