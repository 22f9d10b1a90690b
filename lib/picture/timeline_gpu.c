#include "picture/timeline_parts.h"
#include "launch/gpu_sides.h"
#include "timeline/lane_gaps.h"

typedef vec(uint32_t) work_list;

static void timeline_gpu_add_span(timeline *tl, timeline_track *k, ival at, uint32_t of)
{
	if (!shown_has(&tl->shown->lanes[k->lane], at.a, at.b))
		return;
	vec_push(&k->events, (uint32_t)tl->spans.n);
	vec_push(&tl->spans, (timeline_span){ at, of });
}

/* ---- the GPU side of ranges */

/* Put each range on the first free level below its parent's.  The next level may be taken, because ranges that do not
 * overlap on the CPU may overlap on the GPU. */
static void timeline_gpu_put_on_levels(timeline *tl, timeline_track *k, const around *a)
{
	timeline_levels levels = { 0 };
	uint32_t *below = mem_new(uint32_t, tl->t->pushpop.n);

	for (size_t i = 0; i < k->events.n; i++) {
		uint32_t range = tl->spans.v[k->events.v[i]].of, parent = a->parent[range];
		below[range] = timeline_place_event(&levels, k, timeline_cut(tl, k, i),
						    parent == NONE ? 0 : below[parent]) + 1;
	}
	free(below);
}

/* A range of the main thread also holds the work that other threads launch while it is open (AROUND_ADOPT), as
 * autograd's thread does. */
void timeline_add_projected_track(timeline *tl, uint32_t lane)
{
	const around *a = around_of(tl->t, AROUND_ADOPT);
	gpu_sides s = gpu_sides_build(a, lane);
	timeline_track *k = timeline_begin_track(tl, TIMELINE_PROJECTED, lane, NONE);

	for (size_t i = 0; i < s.n; i++)
		timeline_gpu_add_span(tl, k, (ival){ s.start[i], s.end[i] }, s.range[i]);
	timeline_gpu_put_on_levels(tl, k, a);
	timeline_end_track(tl);
	gpu_sides_free(&s);
}

/* ---- communication that no compute of the same process and GPU hides */

/* Set longest[k] to the communication that fills most of stretch k of `bare`, the time of communication that no compute
 * hides.  The stretch is drawn with the name of this work. */
static void timeline_gpu_find_longest(const timeline *tl, const ival_set *bare, const work_list *comm,
					uint32_t *longest)
{
	const trace_work *w = &tl->t->work;
	int64_t *most = mem_new(int64_t, bare->n);

	for (size_t c = 0; c < comm->n; c++) {
		uint32_t i = comm->v[c];
		ival at = { w->start[i], w->end[i] };
		for (size_t k = ival_after(bare, at.a); k < bare->n && bare->v[k].a < at.b; k++) {
			ival x = ival_cut(bare->v[k], at);
			if (x.b - x.a > most[k]) {
				most[k] = x.b - x.a;
				longest[k] = i;
			}
		}
	}
	free(most);
}

void timeline_add_exposed_track(timeline *tl, uint32_t lane)
{
	const trace *t = tl->t;
	timeline_track *k = timeline_begin_track(tl, TIMELINE_EXPOSED, lane, NONE);
	ival_set runs = { 0 }, bare;
	work_list comm = { 0 };
	uint32_t *longest;

	for (size_t i = t->lanes[lane].first; i < t->lanes[lane].first + t->lanes[lane].n; i++)
		if (trace_is_comm(t, i)) {
			vec_push(&comm, (uint32_t)i);
			ival_add(&runs, t->work.start[i], t->work.end[i]);
		}
	bare = ival_without(&runs, &lane_gaps_of(tl->t, LANE_GAPS_BESIDE_COMM)->busy[lane]);
	longest = mem_new(uint32_t, bare.n);
	timeline_gpu_find_longest(tl, &bare, &comm, longest);
	for (size_t i = 0; i < bare.n; i++)
		timeline_gpu_add_span(tl, k, bare.v[i], longest[i]);
	timeline_end_track(tl);
	ival_free(&runs);
	ival_free(&bare);
	mem_free(comm.v, longest);
}
