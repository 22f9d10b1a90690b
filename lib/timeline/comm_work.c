#include "timeline/comm_work.h"
#include "base/memory.h"
#include "base/search.h"

static void *comm_work_build(trace *t, int64_t unused UNNEEDED)
{
	comm_work *c = mem_new(comm_work, 1);
	vec(uint32_t) found = { 0 };

	for (size_t i = 0; i < t->work.n; i++)
		if (trace_is_comm(t, i))
			vec_push(&found, (uint32_t)i);
	*c = (comm_work){ .t = t, .work = found.v, .n = found.n, .first = mem_new(size_t, t->nlanes + 1) };
	for (size_t l = 0; l < t->nlanes; l++)
		search_first(c->first[l + 1], c->first[l], c->n,
			     c->work[c->first[l + 1]] >= t->lanes[l].first + t->lanes[l].n);
	return c;
}

static void comm_work_release(void *made)
{
	comm_work *c = made;

	mem_free(c->work, c->first, c);
}

const comm_work *comm_work_of(trace *t)
{
	return trace_keep(t, comm_work_build, 0, comm_work_release);
}

bool comm_work_next(const comm_work *c, const window *w, comm_walk *walk)
{
	trace *t = c->t;

	for (;;) {
		while (walk->next < walk->end) {
			walk->work = c->work[walk->next++];
			if (window_has(w, &w->gpu, t->work.start[walk->work], t->work.end[walk->work]))
				return true;
		}
		if (!window_walk_to_stretch(t, w, &walk->all))
			return false;
		search_first(walk->next, c->first[walk->all.lane], c->first[walk->all.lane + 1],
			     c->work[walk->next] >= walk->all.next);
		search_first(walk->end, walk->next, c->first[walk->all.lane + 1], c->work[walk->end] >= walk->all.end);
	}
}

int64_t comm_work_time(trace *t, size_t lane, const ival_set *side)
{
	const comm_work *c = comm_work_of(t);
	int64_t ns = 0;

	for (size_t k = 0; c->first[lane] < c->first[lane + 1] && k < side->n; k++) {
		const ival_set part = { .v = &side->v[k], .n = 1 };
		int64_t until = side->v[k].a;
		for (size_t i = 0, hi = 0; i < hi || window_next_in_lane(t, &t->lanes[lane], &part, &i, &hi); i++) {
			int64_t end = ns_min(t->work.end[i], side->v[k].b);
			if (!trace_is_comm(t, i) || end <= until)
				continue;
			ns = ns_add(ns, end - ns_max(until, t->work.start[i]));
			until = end;
		}
	}
	return ns;
}
