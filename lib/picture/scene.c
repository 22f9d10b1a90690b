#include "picture/scene.h"

scene *scene_build(trace *t, const windows *all, unsigned what)
{
	scene *p = mem_new(scene, 1);

	p->t = t;
	p->around = around_build(t, what);
	p->shown = shown_build(t, all);
	p->tracks = tracks_build(t, p->shown);
	p->slices = slices_build(t, p->around, p->shown);
	return p;
}

void scene_free(scene *p)
{
	slices_free(p->slices);
	tracks_free(p->tracks);
	shown_free(p->shown);
	around_free(p->around);
	free(p);
}

ival scene_work(const scene *p, size_t lane, size_t work)
{
	return window_clip(&p->shown->lanes[lane].parts, p->t->work.start[work], p->t->work.end[work]);
}

bool scene_arrow(const scene *p, size_t work, ival *arrow)
{
	uint32_t call = p->t->work.launch[work], on = p->tracks->of[work];
	ival from, to;

	if (on >= p->tracks->n || call == NONE || !p->slices->drawn[call])
		return false;
	from = slices_call(p->slices, call);
	to = scene_work(p, p->tracks->v[on].lane, work);
	*arrow = (ival){ from.a, to.a > from.a ? to.a : from.a };
	return arrow->b == to.a || arrow->b < to.b;
}
