#include "launch/gpu_sides.h"
#include "base/memory.h"
#include "base/sort.h"

typedef struct {                /* the ranges of the lane's process: those with the indices [first, first + n) */
	const around *around;
	size_t first, n;
	ival *side;             /* by range of the process: from the first start to the last end of its work on the
				 * lane */
	vec(uint32_t) met;      /* the ranges that have work on the lane, each once */
	bool *nested;           /* by range of the process: does no range around it end earlier? */
} gpu_sides_ctx;

static void gpu_sides_widen_range(gpu_sides_ctx *s, uint32_t range, ival work)
{
	ival *side = &s->side[range - s->first];

	if (side->a > side->b)
		vec_push(&s->met, range);
	*side = ival_hull(*side, work);
}

static int gpu_sides_compare_outer_first(uint32_t x, uint32_t y, const void *ctx)
{
	const gpu_sides_ctx *s = ctx;
	const trace_ranges *r = &s->around->t->pushpop;
	ival a = s->side[x - s->first], b = s->side[y - s->first];

	return a.a != b.a ? sort_3way(a.a, b.a) : a.b != b.b ? sort_3way(b.b, a.b) :
		r->start[x] != r->start[y] ? sort_3way(r->start[x], r->start[y]) : sort_3way(x, y);
}

/* Fills `side`, `met` and `nested`.  A piece of work widens the ranges around it on each thread, from the innermost
 * outwards, up to the first one that is nested.  Afterwards each nested range widens its parent.  So the time does not
 * grow with the depth of nesting. */
static void gpu_sides_find_sides(gpu_sides_ctx *s, const trace_lane *lane)
{
	const trace *t = s->around->t;
	const uint32_t *parent = s->around->parent;
	const trace_ranges *r = &t->pushpop;

	for (size_t k = 0; k < s->n; k++) {
		uint32_t up = parent[s->first + k];
		s->side[k] = IVAL_NOWHERE;
		s->nested[k] = up == NONE || (s->nested[up - s->first] && r->end[s->first + k] <= r->end[up]);
	}
	for (size_t i = lane->first; i < lane->first + lane->n; i++)
		for (around_walk at = around_work(s->around, i); at.range != NONE;) {
			uint32_t range = at.range;
			gpu_sides_widen_range(s, range, (ival){ t->work.start[i], t->work.end[i] });
			if (s->nested[range - s->first])
				around_next_thread(&at);
			else
				around_next(s->around, &at);
		}
	for (size_t k = s->n; k-- > 0;) {
		uint32_t up = parent[s->first + k];
		if (s->nested[k] && up != NONE && s->side[k].a <= s->side[k].b)
			gpu_sides_widen_range(s, up, s->side[k]);
	}
}

gpu_sides gpu_sides_build(const around *a, size_t lane)
{
	uint32_t end, th = trace_find_threads(a->t, a->t->lanes[lane].proc, &end);
	gpu_sides_ctx s = { .around = a, .first = a->first[th], .n = a->first[end] - a->first[th] };
	gpu_sides out;

	s.side = mem_new(ival, s.n);
	s.nested = mem_new(bool, s.n);
	gpu_sides_find_sides(&s, &a->t->lanes[lane]);
	sort_items(s.met.v, s.met.n, gpu_sides_compare_outer_first, &s);
	out = (gpu_sides){ s.met.n, s.met.v, mem_new(int64_t, s.met.n), mem_new(int64_t, s.met.n) };
	for (size_t i = 0; i < s.met.n; i++) {
		out.start[i] = s.side[s.met.v[i] - s.first].a;
		out.end[i] = s.side[s.met.v[i] - s.first].b;
	}
	mem_free(s.side, s.nested);
	return out;
}

void gpu_sides_free(gpu_sides *s)
{
	mem_free(s->range, s->start, s->end);
	*s = (gpu_sides){ 0 };
}
