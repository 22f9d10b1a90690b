#include "picture/timeline_parts.h"
#include "base/sort.h"
#include "relate/quiet.h"

typedef vec(uint32_t) work_list;

static timeline_track lane_track(const timeline *tl, enum timeline_kind kind, uint32_t lane)
{
	return (timeline_track){ .kind = kind, .proc = tl->t->lanes[lane].proc, .lane = lane, .stream = NONE,
		.thread = NONE };
}

static void add_span(timeline *tl, timeline_track *k, ival at, uint32_t of)
{
	if (!shown_has(&tl->shown->lanes[k->lane], at.a, at.b))
		return;
	vec_push(&k->events, (uint32_t)tl->spans.n);
	vec_push(&tl->spans, (timeline_stretch){ at, of });
}

/* ---- the GPU side of ranges: from the first start to the last end of the work launched in them */

typedef struct {
	const around *around;
	ival *side;             /* by range, */
	vec(uint32_t) met;      /* of which these have work on the lane */
	bool *nested;           /* by range: does it end before all that it is in? */
} sides;

static void widen(sides *s, uint32_t range, ival work)
{
	ival *side = &s->side[range];

	if (side->a > side->b) {
		vec_push(&s->met, range);
		*side = work;
		return;
	}
	side->a = work.a < side->a ? work.a : side->a;
	side->b = work.b > side->b ? work.b : side->b;
}

/* Outer ones first: what starts earlier, or is longer, or was opened first. */
static int outer_first(uint32_t x, uint32_t y, const void *ctx)
{
	const sides *s = ctx;
	const trace_ranges *r = &s->around->t->pushpop;
	ival a = s->side[x], b = s->side[y];

	return a.a != b.a ? sort_3way(a.a, b.a) : a.b != b.b ? sort_3way(b.b, a.b) :
		r->start[x] != r->start[y] ? sort_3way(r->start[x], r->start[y]) : sort_3way(x, y);
}

/* A range stands below the one that it is in; where its level is taken, as neighbours may overlap on the GPU, further
 * below. */
static void projected_levels(timeline *tl, timeline_track *k, const sides *s)
{
	timeline_levels levels = { 0 };
	uint32_t *below = mem_new(uint32_t, tl->t->pushpop.n);

	for (size_t i = 0; i < k->events.n; i++) {
		uint32_t range = tl->spans.v[k->events.v[i]].of, up = s->around->parent[range];
		below[range] = timeline_level(&levels, k, timeline_span(tl, k, i), up == NONE ? 0 : below[up]) + 1;
	}
	free(below);
}

/* Where ranges are nested, the innermost one hands its side on to those around it, so that deep ones cost no more. */
static void find_sides(sides *s, const trace *t, uint32_t lane)
{
	const uint32_t *parent = s->around->parent;
	const trace_ranges *r = &t->pushpop;

	for (size_t i = 0; i < r->n; i++) {
		s->side[i] = IVAL_NOWHERE;
		s->nested[i] = parent[i] == NONE || (s->nested[parent[i]] && r->end[i] <= r->end[parent[i]]);
	}
	for (size_t i = t->lanes[lane].first; i < t->lanes[lane].first + t->lanes[lane].n; i++)
		for (around_walk at = around_work(s->around, i); at.range != NONE;) {
			uint32_t range = at.range;
			widen(s, range, (ival){ t->work.start[i], t->work.end[i] });
			if (s->nested[range])
				around_leave(&at);
			else
				around_next(s->around, &at);
		}
	for (size_t i = r->n; i-- > 0;)
		if (s->nested[i] && parent[i] != NONE && s->side[i].a <= s->side[i].b)
			widen(s, parent[i], s->side[i]);
}

/* Ranges on the main thread also hold what other threads launch meanwhile, as autograd's does. */
void timeline_projected(timeline *tl, uint32_t lane)
{
	size_t n = tl->t->pushpop.n;
	sides s = { .around = around_of(tl->t, AROUND_ADOPT), .side = mem_new(ival, n), .nested = mem_new(bool, n) };
	timeline_track *k = timeline_begin(tl, lane_track(tl, TIMELINE_PROJECTED, lane));

	find_sides(&s, tl->t, lane);
	sort_items(s.met.v, s.met.n, outer_first, &s);
	for (size_t i = 0; i < s.met.n; i++)
		add_span(tl, k, s.side[s.met.v[i]], s.met.v[i]);
	projected_levels(tl, k, &s);
	timeline_end(tl);
	vec_free(&s.met);
	free(s.side);
	free(s.nested);
}

/* ---- communication that no compute of the same process and GPU hides */

/* The parts of a set that the other leaves free. */
static ival_set without(const ival_set *x, const ival_set *y)
{
	ival_set rest = { 0 };

	for (size_t i = 0; i < x->n; i++) {
		int64_t from = x->v[i].a;
		for (size_t k = ival_after(y, from); k < y->n && y->v[k].a < x->v[i].b; k++) {
			ival_add(&rest, from, y->v[k].a > from ? y->v[k].a : from);
			from = y->v[k].b;
		}
		ival_add(&rest, from, x->v[i].b > from ? x->v[i].b : from);
	}
	return rest;
}

/* Name each stretch after the communication that has most of it. */
static void name_stretches(const timeline *tl, const ival_set *free_of, const work_list *comm, uint32_t *longest)
{
	const trace_work *w = &tl->t->work;
	int64_t *most = mem_new(int64_t, free_of->n);

	for (size_t c = 0; c < comm->n; c++) {
		uint32_t i = comm->v[c];
		for (size_t k = ival_after(free_of, w->start[i]); k < free_of->n && free_of->v[k].a < w->end[i]; k++) {
			ival x = free_of->v[k];
			int64_t ns = (w->end[i] < x.b ? w->end[i] : x.b) - (w->start[i] > x.a ? w->start[i] : x.a);
			if (ns > most[k]) {
				most[k] = ns;
				longest[k] = i;
			}
		}
	}
	free(most);
}

void timeline_exposed(timeline *tl, uint32_t lane)
{
	const trace *t = tl->t;
	timeline_track *k = timeline_begin(tl, lane_track(tl, TIMELINE_EXPOSED, lane));
	ival_set runs = { 0 }, bare;
	work_list comm = { 0 };
	uint32_t *longest;

	for (size_t i = t->lanes[lane].first; i < t->lanes[lane].first + t->lanes[lane].n; i++)
		if (trace_is_comm(t, i)) {
			vec_push(&comm, (uint32_t)i);
			ival_add(&runs, t->work.start[i], t->work.end[i]);
		}
	bare = without(&runs, &quiet_of(tl->t, QUIET_COMPUTE)->busy[lane]);
	longest = mem_new(uint32_t, bare.n);
	name_stretches(tl, &bare, &comm, longest);
	for (size_t i = 0; i < bare.n; i++)
		add_span(tl, k, bare.v[i], longest[i]);
	timeline_end(tl);
	ival_free(&runs);
	ival_free(&bare);
	vec_free(&comm);
	free(longest);
}
