#include "picture/shown.h"

shown_side shown_of(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx), const void *ctx)
{
	shown_side s = { 0 };
	vec(ival) parts = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const window *w = &all->v[i];
		const ival_set *side = cpu ? &w->cpu : &w->gpu;
		if (!take(w, ctx))
			continue;
		for (size_t k = 0; k < side->n; k++)
			vec_push(&parts, side->v[k]);
		if (w->inside)
			vec_push(&s.each, side);
	}
	if (parts.n)
		s.parts = ival_union(parts.v, parts.n);
	vec_free(&parts);
	return s;
}

void shown_side_free(shown_side *s)
{
	ival_free(&s->parts);
	vec_free(&s->each);
}

bool shown_has(const shown_side *s, int64_t start, int64_t end)
{
	const ival_set *p = &s->parts;

	if (p->n == 1 && !s->each.n)
		return start < p->v[0].b && (end > p->v[0].a || (start == end && start >= p->v[0].a));
	if (!s->each.n)
		return ival_touches(p, start, end);
	for (size_t i = 0; i < s->each.n; i++)
		if (ival_holds(s->each.v[i], start, end))
			return true;
	return false;
}

static bool takes_lane(const window *w, const void *lane)
{
	return window_lane(w, lane);
}

static bool takes_proc(const window *w, const void *proc)
{
	return w->proc == NONE || w->proc == *(const uint32_t *)proc;
}

shown *shown_build(const trace *t, const windows *all)
{
	shown *s = mem_new(shown, 1);

	s->nlanes = t->nlanes;
	s->nprocs = t->nprocs;
	s->lanes = mem_new(shown_side, t->nlanes);
	s->procs = mem_new(shown_side, t->nprocs);
	for (size_t i = 0; i < t->nlanes; i++)
		s->lanes[i] = shown_of(all, false, takes_lane, &t->lanes[i]);
	for (uint32_t i = 0; i < t->nprocs; i++)
		s->procs[i] = shown_of(all, true, takes_proc, &i);
	return s;
}

void shown_free(shown *s)
{
	for (size_t i = 0; i < s->nlanes; i++)
		shown_side_free(&s->lanes[i]);
	for (size_t i = 0; i < s->nprocs; i++)
		shown_side_free(&s->procs[i]);
	free(s->lanes);
	free(s->procs);
	free(s);
}
