#include "tui/lanes.h"
#include "base/name_match.h"
#include "base/sort.h"

/* ---- streams */

typedef vec(uint32_t) item_list;

/* Make a band for each stream of the lane.  If fits is NULL, this is `all`, with all work of the stream; otherwise it
 * is `kept`, with the work for which fits is true. */
static void lanes_fill_streams(lanes *l, bool (*fits)(void *ctx, size_t work), void *ctx)
{
	const trace *t = l->t;
	const trace_lane *lane = &t->lanes[l->lane];
	uint32_t first = l->streams[0].stream;
	item_list *items = mem_new(item_list, l->nstreams);

	for (size_t i = lane->first; i < lane->first + lane->n; i++)
		if (!fits || fits(ctx, i))
			vec_push(&items[t->work.stream[i] - first], (uint32_t)i);
	for (size_t s = 0; s < l->nstreams; s++)
		*(fits ? &l->streams[s].kept : &l->streams[s].all) =
			band_new(t->work.start, l->end, items[s].v, items[s].n);
	free(items);
}

/* Find the streams of the lane, which are next to each other in trace.streams. */
static void lanes_find_streams(lanes *l)
{
	const trace *t = l->t;
	size_t end, s = trace_find_streams(t, l->proc, &end);

	if (l->lane == SIZE_MAX)
		return;
	while (s < end && t->streams[s].gpu != t->lanes[l->lane].gpu)
		s++;
	l->streams = mem_new(lanes_stream, end - s + 1);
	for (; s < end && t->streams[s].gpu == t->lanes[l->lane].gpu; s++)
		l->streams[l->nstreams++].stream = (uint32_t)s;
	l->end = mem_new(int64_t, t->work.n);
	for (size_t i = t->lanes[l->lane].first, k = 0; k < t->lanes[l->lane].n; i++, k++)
		l->end[i] = t->work.end[i];
	if (l->nstreams)
		lanes_fill_streams(l, NULL, NULL);
}

/* ---- ranges */

typedef struct {
	item_list items[LANES_LEVELS];  /* by level */
	int64_t until[LANES_LEVELS];    /* for each level: the end of its last item */
} level_items;

static void lanes_build_bands(lanes *l, level_items *x, const int64_t *start, const int64_t *end)
{
	for (l->nlevels = 0; l->nlevels < LANES_LEVELS && x->items[l->nlevels].n; l->nlevels++)
		l->level[l->nlevels] = band_new(start, end, x->items[l->nlevels].v, x->items[l->nlevels].n);
}

/* Put an item on the first level, from `level` on, that is free when the item starts.  Returns that level;
 * LANES_LEVELS: no level was free. */
static uint8_t lanes_put_on_level(level_items *x, uint8_t level, uint32_t item, ival at)
{
	while (level < LANES_LEVELS && x->until[level] > at.a)
		level++;
	if (level < LANES_LEVELS) {
		x->until[level] = at.b;
		vec_push(&x->items[level], item);
	}
	return level;
}

/* Put the GPU side of each range on the level below that of its parent range.  GPU sides of one depth may overlap,
 * so a side is put further down if another one is still open on that level when it starts. */
static void lanes_place_sides(lanes *l)
{
	uint32_t th_end, th = trace_find_threads(l->t, l->proc, &th_end);
	size_t first = l->around->first[th], n = l->around->first[th_end] - first;
	uint8_t *below = mem_new(uint8_t, n);
	level_items x = { 0 };

	for (size_t i = 0; i < l->sides.n; i++) {
		uint32_t range = l->sides.range[i], up = l->around->parent[range];
		uint8_t level = lanes_put_on_level(&x, up == NONE ? 0 : below[up - first], (uint32_t)i,
			(ival){ l->sides.start[i], l->sides.end[i] });
		below[range - first] = level < LANES_LEVELS ? (uint8_t)(level + 1) : LANES_LEVELS;
	}
	free(below);
	lanes_build_bands(l, &x, l->sides.start, l->sides.end);
}

static void lanes_place_thread_ranges(lanes *l)
{
	const around *a = l->around;
	size_t first = a->first[l->thread], end = a->first[l->thread + 1];
	uint8_t *below = mem_new(uint8_t, end - first);
	level_items x = { 0 };

	for (size_t i = first; i < end; i++) {
		uint32_t up = a->parent[i];
		uint8_t d = up == NONE ? 0 : below[up - first];
		below[i - first] = d < LANES_LEVELS ? (uint8_t)(d + 1) : LANES_LEVELS;
		if (d < LANES_LEVELS)
			vec_push(&x.items[d], (uint32_t)i);
	}
	free(below);
	lanes_build_bands(l, &x, l->t->pushpop.start, l->t->pushpop.end);
}

static int lanes_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_ranges *r = ctx;

	return r->start[a] != r->start[b] ? sort_3way(r->start[a], r->start[b]) : -sort_3way(r->end[a], r->end[b]);
}

static void lanes_place_startend_ranges(lanes *l)
{
	const trace_ranges *r = &l->t->startend;
	item_list items = { 0 };
	level_items x = { 0 };

	for (size_t i = 0; i < r->n; i++)
		if (l->t->threads[ranges_thread(r, i)].proc == l->proc)
			vec_push(&items, (uint32_t)i);
	sort_items(items.v, items.n, lanes_compare_starts, r);
	for (size_t i = 0; i < items.n; i++)
		lanes_put_on_level(&x, 0, items.v[i], (ival){ r->start[items.v[i]], r->end[items.v[i]] });
	vec_free(&items);
	lanes_build_bands(l, &x, r->start, r->end);
}

static void lanes_free_levels(lanes *l)
{
	for (size_t i = 0; i < l->nlevels; i++)
		band_free(&l->level[i]);
	gpu_sides_free(&l->sides);
	l->nlevels = 0;
}

static void lanes_find_ranges(lanes *l)
{
	lanes_free_levels(l);
	if (l->shown == LANES_THREAD) {
		lanes_place_thread_ranges(l);
	} else if (l->shown == LANES_STARTEND) {
		lanes_place_startend_ranges(l);
	} else if (l->lane != SIZE_MAX) {
		l->sides = gpu_sides_build(l->around, l->lane);
		lanes_place_sides(l);
	}
}

/* Choose the next thread of the process with ranges; false if there is none. */
static bool lanes_next_thread(lanes *l)
{
	uint32_t end, th = trace_find_threads(l->t, l->proc, &end);

	for (th = l->shown == LANES_THREAD ? l->thread + 1 : th; th < end; th++)
		if (l->around->first[th] < l->around->first[th + 1]) {
			l->thread = th;
			return true;
		}
	return false;
}

void lanes_next_ranges(lanes *l)
{
	enum lanes_ranges from = l->shown;

	do {
		l->shown = l->shown == LANES_STARTEND ? LANES_GPU :
			lanes_next_thread(l)	      ? LANES_THREAD :
							LANES_STARTEND;
		lanes_find_ranges(l);
	} while (!l->nlevels && l->shown != from && l->shown != LANES_GPU);
}

uint32_t lanes_range_name(const lanes *l, uint32_t item)
{
	return l->shown == LANES_STARTEND ? l->t->startend.name[item] :
		l->t->pushpop.name[l->shown == LANES_GPU ? l->sides.range[item] : item];
}

/* ---- the filter */

typedef struct {
	const trace_work *work;
	name_match names;
	int64_t shortest;
} filter;

static bool lanes_passes_filter(void *ctx, size_t work)
{
	filter *f = ctx;
	const trace_work *w = f->work;

	return ns_sub(w->end[work], w->start[work]) >= f->shortest &&
		(name_match_of(&f->names, work_name(w, work)) || name_match_of(&f->names, work_full(w, work)));
}

void lanes_filter(lanes *l, const pattern *match, int64_t shortest)
{
	filter f = { &l->t->work, { .re = match, .names = &l->t->names }, shortest };

	for (size_t s = 0; s < l->nstreams; s++)
		band_free(&l->streams[s].kept);
	l->filtered = match || shortest > 0;
	if (l->filtered && l->nstreams)
		lanes_fill_streams(l, lanes_passes_filter, &f);
	name_match_free(&f.names);
}

lanes *lanes_new(trace *t, uint32_t proc, size_t lane, unsigned flags)
{
	lanes *l = mem_new(lanes, 1);

	*l = (lanes){ .t = t, .proc = proc, .lane = lane, .around = around_of(t, flags) };
	lanes_find_streams(l);
	lanes_find_ranges(l);
	if (!l->nlevels)
		lanes_next_ranges(l);
	return l;
}

void lanes_free(lanes *l)
{
	if (!l)
		return;
	for (size_t s = 0; s < l->nstreams; s++) {
		band_free(&l->streams[s].all);
		band_free(&l->streams[s].kept);
	}
	lanes_free_levels(l);
	mem_free(l->streams, l->end, l);
}
