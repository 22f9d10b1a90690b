#include "picture/timeline_counters.h"
#include "base/search.h"
#include "trace/load_metrics.h"

#include <string.h>

static void add_value(timeline_counter *c, int64_t a, int64_t b, int64_t value)
{
	vec_push(&c->at, (ival){ a, b });
	vec_push(&c->values, value);
}

static void end_counter(timeline *tl, timeline_counter *c)
{
	if (c->at.n)
		vec_push(&tl->counters, *c);
	tl->values += c->at.n;
	tl->events += c->at.n;
}

/* What is live in a part of the windows: from its beginning, and from each event on. */
static void memory_part(timeline_counter *c, const memory_place *p, ival part)
{
	int64_t from = part.a, live;
	size_t i;

	search_first(i, 0, p->n, p->v[i].start > part.a);
	live = i ? p->v[i - 1].live : p->before;
	for (; i < p->n && p->v[i].start < part.b; i++) {
		if (p->v[i].start > from)
			add_value(c, from, p->v[i].start, live);
		from = p->v[i].start;
		live = p->v[i].live;
	}
	add_value(c, from, part.b, live);
}

static bool takes_place(const window *w, const void *ctx)
{
	const memory_place *p = ctx;

	return window_lane(w, &(trace_lane){ .proc = p->proc, .gpu = p->gpu });
}

static void memory_counters(timeline *tl, const windows *all)
{
	for (size_t k = 0; k < tl->memory.nplaces; k++) {
		const memory_place *p = &tl->memory.places[k];
		const char *kind = memory_kind_name(p->kind);
		timeline_counter c = { .proc = p->proc, .gpu = p->gpu, .bytes = true };
		shown_side side = shown_of(all, true, takes_place, p);
		c.name = str_id(&tl->t->names, kind, strlen(kind));
		for (size_t i = 0; i < side.parts.n; i++)
			memory_part(&c, p, side.parts.v[i]);
		shown_side_free(&side);
		end_counter(tl, &c);
	}
}

/* A sample describes the time since the one before. */
static void metric_part(timeline_counter *c, const trace_metric *m, ival part)
{
	size_t i;

	search_first(i, 0, m->n, m->time[i] >= part.a);
	for (; i < m->n && m->time[i] < part.b; i++) {
		int64_t since = i ? m->time[i - 1] : m->time[i];
		add_value(c, since > part.a ? since : part.a, m->time[i], m->value[i]);
	}
}

typedef struct {
	const trace *t;
	const gpu_numbers *numbers;
	const trace_metric *m;
} sampled;

static bool takes_metric(const window *w, const void *ctx)
{
	const sampled *s = ctx;

	return window_metric(w, s->t, s->numbers, s->m);
}

static void metric_counters(timeline *tl, const windows *all, const gpu_numbers *numbers)
{
	for (size_t k = 0; k < tl->t->nmetrics; k++) {
		const trace_metric *m = &tl->t->metrics[k];
		timeline_counter c = { .proc = NONE, .gpu = m->gpu, .name = m->name, .hertz = load_metrics_hertz(tl->t, m) };
		shown_side side = shown_of(all, false, takes_metric, &(sampled){ tl->t, numbers, m });
		for (size_t i = 0; i < side.parts.n; i++)
			metric_part(&c, m, side.parts.v[i]);
		shown_side_free(&side);
		end_counter(tl, &c);
	}
}

bool timeline_counters(timeline *tl, const windows *all)
{
	gpu_numbers numbers = { 0 };
	bool ok = (!memory_events_has(tl->t) || memory_events_load(tl->t, &tl->memory)) && gpu_numbers_read(tl->t, &numbers);

	if (ok) {
		memory_counters(tl, all);
		metric_counters(tl, all, &numbers);
	}
	vec_free(&numbers);
	return ok;
}
