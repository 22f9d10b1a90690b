/*
 * shown - what several windows show together, each event once: as in a picture of them all.
 *
 *     shown *s = shown_build(t, all);
 *     const shown_side *side = &s->lanes[0];
 *     if (shown_has(side, t->work.start[0], t->work.end[0]))
 *         printf("%lld\n", (long long)window_clip(&side->parts, t->work.start[0], t->work.end[0]).a);
 *     shown_free(s);
 *
 * An event is shown if it counts in one of the windows; what is shown of it reaches from its first to its last moment
 * in any of them.
 */
#pragma once

#include "base/memory.h"
#include "relate/window.h"

typedef struct {
	ival_set parts;         /* the union of a side of the windows; n is 0 where nothing is shown */
	vec(const ival_set *) each;     /* with --inside, that side of each window: events must be inside one */
} shown_side;

typedef struct {
	shown_side *lanes;      /* by lane: the GPU sides of the windows that it is in */
	shown_side *procs;      /* by process: the CPU sides */
	size_t nlanes, nprocs;
} shown;

/* all must outlive it. */
shown *shown_build(const trace *t, const windows *all);
void shown_free(shown *s);

/* The same for any other choice of windows: those for which take says so. */
shown_side shown_of(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx), const void *ctx);
void shown_side_free(shown_side *s);

bool shown_has(const shown_side *s, int64_t start, int64_t end);

/* Streams that do hardly any work, and so share a row of a picture: CUDA graphs leave hundreds of them.  Of more than
 * SMALL_OWN streams of a lane, those with less than a hundredth of its work time, though never the SMALL_OWN with the
 * most.  One alone has nobody to share with. */
enum { SMALL_OWN = 8 };

typedef struct {
	size_t first, n;        /* the streams of the lane, in the trace's order */
	bool *small;            /* by stream, from first on */
	size_t shared;          /* how many are */
} small_streams;

small_streams small_find(const trace *t, size_t lane, const shown_side *side);
void small_free(small_streams *k);
