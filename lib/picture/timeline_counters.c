#include "picture/timeline_parts.h"
#include "base/search.h"
#include "trace/load_metrics.h"

#include <string.h>

static void timeline_counters_add_value(timeline_counter *c, int64_t a, int64_t b, int64_t since, int64_t value)
{
	vec_push(&c->at, (ival){ a, b });
	vec_push(&c->since, since);
	vec_push(&c->values, value);
}

static void timeline_counters_end_counter(timeline *tl, const timeline_counter *c, shown_times *side)
{
	if (side->parts.n)
		vec_push(&tl->counters, *c);
	shown_times_free(side);
	tl->events += c->at.n;
}

/* Add the live memory in one part of the windows: a value that holds from the part's start, and a value that holds
 * from each allocation or free in the part. */
static void timeline_counters_add_memory_part(timeline_counter *c, const memory_place *p, ival part)
{
	int64_t from = part.a, live;
	size_t i;

	search_first(i, 0, p->n, p->v[i].start > part.a);
	live = i ? p->v[i - 1].live : p->before;
	for (; i < p->n && p->v[i].start < part.b; i++) {
		if (p->v[i].start > from)
			timeline_counters_add_value(c, from, p->v[i].start, from, live);
		from = p->v[i].start;
		live = p->v[i].live;
	}
	timeline_counters_add_value(c, from, part.b, from, live);
}

static bool timeline_counters_shows_place(const window *w, const void *ctx)
{
	const memory_place *p = ctx;

	return window_has_lane(w, &(trace_lane){ .proc = p->proc, .gpu = p->gpu });
}

static void timeline_counters_add_memory(timeline *tl)
{
	for (size_t k = 0; k < tl->memory.nplaces; k++) {
		const memory_place *p = &tl->memory.places[k];
		const char *kind = memory_kind_name(p->kind);
		timeline_counter c = { .proc = p->proc, .gpu = p->gpu, .bytes = true };
		shown_times side = shown_times_build(tl->all, true, timeline_counters_shows_place, p);
		c.name = str_id(&tl->t->names, kind, strlen(kind));
		for (size_t i = 0; i < side.parts.n; i++)
			timeline_counters_add_memory_part(&c, p, side.parts.v[i]);
		timeline_counters_end_counter(tl, &c, &side);
	}
}

/* Add the samples in one part of the windows.  A sample is about the time since the sample before it. */
static void timeline_counters_add_metric_part(timeline_counter *c, const trace_metric *m, const ival_set *parts,
					      ival part)
{
	size_t i;

	search_first(i, 0, m->n, m->time[i] >= part.a);
	for (; i < m->n && m->time[i] < part.b; i++) {
		int64_t since = i ? m->time[i - 1] : m->time[i];
		timeline_counters_add_value(c, since > part.a ? since : part.a, m->time[i],
					    window_clip(parts, since, m->time[i]).a, m->value[i]);
	}
}

typedef struct {
	const timeline *tl;
	const trace_metric *m;
} metric_ctx;

static bool timeline_counters_shows_metric(const window *w, const void *ctx)
{
	const metric_ctx *s = ctx;

	return window_has_metric(w, s->tl->t, &s->tl->numbers, s->m);
}

static void timeline_counters_add_metrics(timeline *tl)
{
	for (size_t k = 0; k < tl->t->nmetrics; k++) {
		const trace_metric *m = &tl->t->metrics[k];
		timeline_counter c = { .proc = NONE, .gpu = m->gpu, .name = m->name,
			.hertz = load_metrics_is_clock(tl->t, m) };
		shown_times side = shown_times_build(tl->all, false, timeline_counters_shows_metric,
			&(metric_ctx){ tl, m });
		for (size_t i = 0; i < side.parts.n; i++)
			timeline_counters_add_metric_part(&c, m, &side.parts, side.parts.v[i]);
		timeline_counters_end_counter(tl, &c, &side);
	}
}

bool timeline_add_counters(timeline *tl)
{
	if ((memory_events_has(tl->t) && !memory_events_load(tl->t, &tl->memory)) ||
	    !gpu_numbers_read(tl->t, &tl->numbers))
		return false;
	timeline_counters_add_memory(tl);
	timeline_counters_add_metrics(tl);
	return true;
}

size_t timeline_count_values(const timeline *tl, const window *w)
{
	size_t n = 0, lo, hi;

	for (size_t i = 0; i < tl->t->nmetrics; i++) {
		const trace_metric *m = &tl->t->metrics[i];
		for (size_t k = 0; k < w->gpu.n && window_has_metric(w, tl->t, &tl->numbers, m); k++) {
			search_first(lo, 0, m->n, m->time[lo] >= w->gpu.v[k].a);
			search_first(hi, lo, m->n, m->time[hi] >= w->gpu.v[k].b);
			n += hi - lo;
		}
	}
	for (size_t i = 0; i < tl->memory.nplaces; i++) {
		const memory_place *p = &tl->memory.places[i];
		for (size_t k = 0; k < w->cpu.n && timeline_counters_shows_place(w, p); k++) {
			search_first(lo, 0, p->n, p->v[lo].start >= w->cpu.v[k].a);
			search_first(hi, lo, p->n, p->v[hi].start >= w->cpu.v[k].b);
			n += hi - lo;
		}
	}
	return n;
}
