#include "relate/tracks.h"
#include "base/memory.h"
#include "base/search.h"

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
	size_t first_stream, nstreams;
	size_t lo, hi;          /* its work that can be shown */
	bool *shares;           /* by stream */
	bundle *bundles;        /* by stream; the last is that of those that share */
} laying;

static void find_streams(laying *y)
{
	const trace *t = y->t;
	const trace_lane *lane = &t->lanes[y->lane];
	size_t end;

	search_first(y->first_stream, 0, t->nstreams, t->streams[y->first_stream].proc > lane->proc ||
		     (t->streams[y->first_stream].proc == lane->proc && t->streams[y->first_stream].gpu >= lane->gpu));
	search_first(end, y->first_stream, t->nstreams, t->streams[end].proc > lane->proc || t->streams[end].gpu > lane->gpu);
	y->nstreams = end - y->first_stream;
}

/* Which work is shown, and which streams have so little of it that they share tracks? */
static void find_small(laying *y)
{
	const trace_work *w = &y->t->work;
	size_t *count = mem_new(size_t, y->nstreams), total = 0, busy = 0;

	for (size_t i = y->lo; i < y->hi; i++)
		if (shown_has(y->side, w->start[i], w->end[i])) {
			y->k->of[i] = TRACKS_CROSSES;
			busy += !count[w->stream[i] - y->first_stream]++;
			total++;
		}
	for (size_t s = 0; s < y->nstreams; s++)
		y->shares[s] = busy > TRACKS_OWN && count[s] * 100 < total;
	free(count);
}

static void place(laying *y, size_t i)
{
	const trace_work *w = &y->t->work;
	size_t s = w->stream[i] - y->first_stream;
	bool shares = y->shares[s];
	bundle *b = &y->bundles[shares ? y->nstreams : s];
	ival part = window_clip(&y->side->parts, w->start[i], w->end[i]);
	uint32_t number = 0;

	while (number < b->n && b->end[number] > part.a)
		number++;
	if (number == TRACKS_WIDE)
		return;
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
		if (!y.side->parts.n)
			continue;
		find_streams(&y);
		window_work(t, &t->lanes[l], &y.side->parts, &y.lo, &y.hi);
		y.shares = mem_new(bool, y.nstreams);
		y.bundles = mem_new(bundle, y.nstreams + 1);
		find_small(&y);
		for (size_t i = y.lo; i < y.hi; i++)
			if (k->of[i] != NONE)
				place(&y, i);
		free(y.shares);
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
