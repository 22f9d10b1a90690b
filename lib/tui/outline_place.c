#include "tui/outline_parts.h"

/* The place of a piece of work is its whole time on the GPU, even outside of the window. */
static outline_place outline_place_of_work(const trace *t, uint32_t work)
{
	return (outline_place){ .at = { t->work.start[work], t->work.end[work] }, .work = work,
		.proc = t->streams[t->work.stream[work]].proc };
}

typedef struct {
	int64_t ns;             /* the time of the work, plus 1 ns for each piece; 0: no work */
	uint32_t first;         /* the work that started first */
} stream_sum;

static void outline_place_add_work(const trace *t, stream_sum *streams, uint32_t work, outline_place *place)
{
	stream_sum *s = &streams[t->work.stream[work]];

	if (!s->ns || t->work.start[work] < t->work.start[s->first])
		s->first = work;
	s->ns += t->work.end[work] - t->work.start[work] + 1;   /* at least 1, because 0 means no work */
	if (place->work == NONE || t->work.start[work] < place->at.a)
		place->at.a = t->work.start[work];
	if (place->work == NONE || t->work.end[work] > place->at.b)
		place->at.b = t->work.end[work];
	place->work = work;
}

static bool outline_place_is_around(const around *a, uint32_t range, size_t work)
{
	around_walk walk = around_work(a, work);

	while (walk.range != NONE && walk.range != range)
		around_next(a, &walk);
	return walk.range != NONE;
}

/* The place of a range is the time from the first start of the work inside it to the latest end or, if there is no
 * such work, the time at which it was open. */
static outline_place outline_place_of_range(const outline *o, const trace_ranges *r, uint32_t range)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	outline_place place = { .at = { r->start[range], r->end[range] }, .work = NONE,
		.proc = t->threads[ranges_thread(r, range)].proc };
	stream_sum *streams = mem_new(stream_sum, t->nstreams);
	size_t best = 0, end, l = trace_find_lanes(t, place.proc, &end);

	for (; r == &t->pushpop && l < end; l++) {
		const trace_lane *lane = &t->lanes[l];
		for (size_t i = lane->first; window_has_lane(d->w, lane) && i < lane->first + lane->n; i++) {
			int64_t launch = trace_launch_time(t, i);
			if (((launch >= r->start[range] && launch < r->end[range]) || d->a->captured) &&
			    outline_place_is_around(d->a, range, i))
				outline_place_add_work(t, streams, (uint32_t)i, &place);
		}
	}
	for (size_t s = 0; s < t->nstreams; s++)
		best = streams[s].ns > streams[best].ns ? s : best;
	if (place.work != NONE)
		place.work = streams[best].first;
	free(streams);
	return place;
}

/* The place of a node that has no range in the window, because its work was launched, or its graph created, outside of
 * the window.  Of each name of kernels and graphs in the node and in the nodes below it, consider the one launched
 * first.  The place is that of the one among them that starts first; .proc NONE: there is none. */
static outline_place outline_place_of_kernels(const outline *o, uint32_t node)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	uint32_t first = NONE;

	for (size_t k = 0; k < d->kernels.n; k++) {
		uint32_t up = d->kernels.v[k].node, work = d->kernels.v[k].first;
		while (up != NONE && up > node)         /* a parent has a smaller number than its children */
			up = d->tree.node[up].parent;
		if (up == node && (first == NONE || t->work.start[work] < t->work.start[first]))
			first = work;
	}
	return first == NONE ? (outline_place){ .work = NONE, .proc = NONE } : outline_place_of_work(t, first);
}

outline_place outline_place_of(const outline *o, size_t row)
{
	const struct outline_data *d = o->data;
	const outline_item *item = &d->items.v[o->rows.v[row]];
	const trace *t = d->a->t;
	uint32_t index = item->index;

	switch (item->kind) {
	case OUTLINE_RUN: return outline_place_of_work(t, index);
	case OUTLINE_KERNELS: return outline_place_of_work(t, d->kernels.v[index].first);
	case OUTLINE_RANGE: return outline_place_of_range(o, &t->pushpop, index);
	case OUTLINE_STARTEND: return outline_place_of_range(o, &t->startend, index);
	case OUTLINE_RANGES: case OUTLINE_EACH: break;
	}
	return d->range[index] == NONE ? outline_place_of_kernels(o, index) :
		outline_place_of_range(o, d->tree.node[index].startend ? &t->startend : &t->pushpop, d->range[index]);
}
