#include "base/search.h"
#include "relate/projection.h"
#include "tui/outline_parts.h"

/* All that runs of a piece of work. */
static outline_place place_of_work(const trace *t, uint32_t work)
{
	return (outline_place){ .at = { t->work.start[work], t->work.end[work] }, .work = work,
		.proc = t->streams[t->work.stream[work]].proc };
}

typedef struct {
	int64_t ns;
	uint32_t first;         /* work */
} of_stream;

static void add_work(const trace *t, of_stream *streams, uint32_t work, outline_place *place)
{
	of_stream *s = &streams[t->work.stream[work]];

	if (!s->ns || t->work.start[work] < t->work.start[s->first])
		s->first = work;
	s->ns += t->work.end[work] - t->work.start[work] + 1;   /* not 0 for work that took no time */
	if (place->work == NONE || t->work.start[work] < place->at.a)
		place->at.a = t->work.start[work];
	if (place->work == NONE || t->work.end[work] > place->at.b)
		place->at.b = t->work.end[work];
	place->work = work;
}

/* The GPU side of a range: what it launched on its thread and, where ranges are adopted, what others launched then. */
static outline_place place_of_range(const outline *o, const trace_ranges *r, uint32_t range)
{
	const struct outline_data *d = o->data;
	trace *t = d->a->t;
	outline_place place = { .at = { r->start[range], r->end[range] }, .work = NONE,
		.proc = t->threads[r->thread[range]].proc };
	of_stream *streams = mem_new(of_stream, t->nstreams);
	size_t n, i, best = 0;
	const uint32_t *work = projection_launched(projection_on(t, d->w->device), place.proc, &n);

	search_first(i, 0, n, outline_launch(t, work[i]) >= r->start[range]);
	for (; r == &t->pushpop && i < n && outline_launch(t, work[i]) < r->end[range]; i++)
		for (around_walk w = around_work(d->a, work[i]); w.range != NONE; around_next(d->a, &w))
			if (w.range == range) {
				add_work(t, streams, work[i], &place);
				break;
			}
	for (size_t s = 0; s < t->nstreams; s++)
		best = streams[s].ns > streams[best].ns ? s : best;
	if (place.work != NONE)
		place.work = streams[best].first;
	free(streams);
	return place;
}

/* The first kernels at or below a node: of ranges that are not in the window, or only around the capture of a graph. */
static outline_place place_of_kernels(const outline *o, uint32_t node)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	uint32_t first = NONE;

	for (size_t k = 0; k < d->kernels.n; k++) {
		uint32_t up = d->kernels.v[k].node, work = d->kernels.v[k].first;
		while (up != NONE && up > node)         /* parents come before their children */
			up = d->tree.node[up].parent;
		if (up == node && (first == NONE || t->work.start[work] < t->work.start[first]))
			first = work;
	}
	return first == NONE ? (outline_place){ .work = NONE, .proc = NONE } : place_of_work(t, first);
}

outline_place outline_place_of(const outline *o, size_t row)
{
	const struct outline_data *d = o->data;
	const outline_item *item = &d->items.v[o->rows.v[row]];
	const trace *t = d->a->t;
	uint32_t of = item->of;

	switch (item->kind) {
	case OUTLINE_RUN: return place_of_work(t, of);
	case OUTLINE_KERNELS: return place_of_work(t, d->kernels.v[of].first);
	case OUTLINE_RANGE: return place_of_range(o, &t->pushpop, of);
	case OUTLINE_STARTEND: return place_of_range(o, &t->startend, of);
	case OUTLINE_RANGES: case OUTLINE_EACH: break;
	}
	return d->range[of] == NONE ? place_of_kernels(o, of) :
		place_of_range(o, d->tree.node[of].startend ? &t->startend : &t->pushpop, d->range[of]);
}
