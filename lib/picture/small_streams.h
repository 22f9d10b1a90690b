/*
 * small_streams - streams that do hardly any work, and so share a row of a picture: CUDA graphs leave hundreds of them.
 *
 *     small_streams k = small_find(t, 0, &s->lanes[0]);          // s: from shown_build
 *     if (k.n && k.small[0])
 *         printf("stream %zu of the trace is one of %zu that share\n", k.first, k.shared);
 *     small_free(&k);
 *
 * Of more than SMALL_OWN streams of a lane, those with less than a hundredth of its work time, though never the
 * SMALL_OWN with the most.  One alone has nobody to share with.
 */
#ifndef SMALL_STREAMS_H
#define SMALL_STREAMS_H

#include "picture/shown.h"

enum { SMALL_OWN = 8 };

typedef struct {
	size_t first, n;        /* the streams of the lane, in the trace's order */
	bool *small;            /* by stream, from first on */
	size_t shared;          /* how many are */
} small_streams;

small_streams small_find(const trace *t, size_t lane, const shown_side *side);
void small_free(small_streams *k);

#endif
