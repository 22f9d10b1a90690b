/*
 * tracks - on which track of a picture each piece of work stands, so that no two on one track overlap.
 *
 *     tracks *k = tracks_build(t, s);            // s: from shown_build
 *     if (k->of[0] < k->n)
 *         printf("work 0 stands on track %u of its stream\n", k->v[k->of[0]].number);
 *     tracks_free(k);
 *
 * A stream has a track of its own, and more of them where its work overlaps (kernels of one graph do): a piece goes to
 * the first that is free when it starts.  Streams that do hardly any work (small_streams.h) share tracks in the same
 * way.  What finds TRACKS_WIDE of them taken stands on none.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include "picture/shown.h"

enum { TRACKS_WIDE = 16 };

#define TRACKS_CROSSES (NONE - 1)       /* on no track, though it is shown */

typedef struct {
	size_t lane;
	uint32_t stream;        /* NONE: shared by streams with little work */
	uint32_t number;        /* among those of this stream, from 0 */
} track;

typedef struct {
	track *v;               /* by lane, in order of their first work */
	size_t n, room;
	uint32_t *of;           /* by work: its track, NONE if it is not shown, or TRACKS_CROSSES */
} tracks;

tracks *tracks_build(const trace *t, const shown *s);
void tracks_free(tracks *k);

#endif
