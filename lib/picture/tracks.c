#include "picture/tracks.h"
#include "base/memory.h"
#include "picture/small_streams.h"

#include <string.h>

typedef struct {                /* the tracks of a stream, or of those that share */
	uint32_t n;
	uint32_t track[TRACKS_WIDE];
	int64_t end[TRACKS_WIDE];       /* of the last work on each */
} bundle;

typedef struct {                /* a lane at work */
	const trace *t;
	const shown_side *side;
	tracks *k;
	size_t lane;
	small_streams streams;
	bundle *bundles;        /* by stream; the last is that of those that share */
} laying;

static void place(laying *y, size_t i)
{
	const trace_work *w = &y->t->work;
	size_t s = w->stream[i] - y->streams.first;
	bool shares = y->streams.small[s];
	bundle *b = &y->bundles[shares ? y->streams.n : s];
	ival part = window_clip(&y->side->parts, w->start[i], w->end[i]);
	uint32_t number = 0;

	while (number < b->n && b->end[number] > part.a)
		number++;
	if (number == TRACKS_WIDE) {
		y->k->of[i] = TRACKS_CROSSES;
		return;
	}
	if (number == b->n) {
		b->track[b->n++] = (uint32_t)y->k->n;
		vec_push(y->k, (track){ y->lane, shares ? NONE : w->stream[i], number });
	}
	b->end[number] = part.b;
	y->k->of[i] = b->track[number];
}

tracks *tracks_build(const trace *t, const shown *s)
{
	tracks *k = mem_new(tracks, 1);

	k->of = mem_new(uint32_t, t->work.n);
	memset(k->of, 0xff, t->work.n * sizeof *k->of);
	for (size_t l = 0; l < t->nlanes; l++) {
		laying y = { .t = t, .side = &s->lanes[l], .k = k, .lane = l };
		size_t lo, hi;
		if (!y.side->parts.n)
			continue;
		window_work(t, &t->lanes[l], &y.side->parts, &lo, &hi);
		y.streams = small_find(t, l, y.side);
		y.bundles = mem_new(bundle, y.streams.n + 1);
		for (size_t i = lo; i < hi; i++)
			if (shown_has(y.side, t->work.start[i], t->work.end[i]))
				place(&y, i);
		small_free(&y.streams);
		free(y.bundles);
	}
	return k;
}

void tracks_free(tracks *k)
{
	free(k->v);
	free(k->of);
	free(k);
}
