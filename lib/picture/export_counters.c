#include "picture/export_events.h"
#include "base/search.h"
#include "trace/load_metrics.h"

bool export_counters_load(export_drawing *d)
{
	return (!memory_events_has(d->t) || memory_events_load(d->t, &d->memory)) && gpu_numbers_read(d->t, &d->numbers);
}

typedef struct {
	const export_drawing *d;
	const trace_metric *metric;
	const memory_place *place;
} counter;

static bool has_metric(const window *w, const void *ctx)
{
	const counter *c = ctx;

	return window_metric(w, c->d->t, &c->d->numbers, c->metric);
}

static bool has_place(const window *w, const void *ctx)
{
	const counter *c = ctx;

	return (w->proc == NONE || w->proc == c->place->proc) && (w->device < 0 || w->device == c->place->gpu);
}

static void samples_of(const trace_metric *m, ival part, size_t *lo, size_t *hi)
{
	search_first(*lo, 0, m->n, m->time[*lo] >= part.a);
	search_first(*hi, *lo, m->n, m->time[*hi] >= part.b);
}

static void events_of(const memory_place *p, ival part, size_t *lo, size_t *hi)
{
	search_first(*lo, 0, p->n, p->v[*lo].start >= part.a);
	search_first(*hi, *lo, p->n, p->v[*hi].start >= part.b);
}

size_t export_counters_in(const export_drawing *d, const window *w)
{
	counter c = { .d = d };
	size_t n = 0, lo, hi;

	for (size_t i = 0; i < d->t->nmetrics; i++) {
		c.metric = &d->t->metrics[i];
		for (size_t k = 0; k < w->gpu.n && has_metric(w, &c); k++) {
			samples_of(c.metric, w->gpu.v[k], &lo, &hi);
			n += hi - lo;
		}
	}
	for (size_t i = 0; i < d->memory.nplaces; i++) {
		c.place = &d->memory.places[i];
		for (size_t k = 0; k < w->cpu.n && has_place(w, &c); k++) {
			events_of(c.place, w->cpu.v[k], &lo, &hi);
			n += hi - lo;
		}
	}
	return n;
}

/* A counter shows a value until the next one, and a sample is about the time since the sample before it: its value
 * stands where that begins. */
static void put_metric(export_drawing *d, const trace_metric *m)
{
	shown_side side = shown_of(d->all, false, has_metric, &(counter){ .d = d, .metric = m });
	const char *name = str_at(&d->t->names, m->name);
	int64_t pid = side.parts.n ? export_pid(d, NONE) : 0;
	bool hertz = load_metrics_hertz(d->t, m);
	size_t lo, hi;

	name = arena_printf(&d->texts, "GPU %lld %s", (long long)m->gpu, name ? name : "-");
	for (size_t k = 0; k < side.parts.n; k++) {
		samples_of(m, side.parts.v[k], &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			int64_t from = i ? m->time[i - 1] : m->time[i];
			chrome_event(d->j, 'C', pid, pid, window_clip(&side.parts, from, m->time[i]).a);
			chrome_text(d->j, "name", name);
			chrome_args(d->j);
			if (hertz)
				chrome_micro(d->j, "value", m->value[i]);
			else
				chrome_int(d->j, "value", m->value[i]);
			chrome_close(d->j);
		}
	}
	shown_side_free(&side);
}

static void put_live(export_drawing *d, int64_t pid, const char *name, int64_t at, int64_t bytes)
{
	chrome_event(d->j, 'C', pid, pid, at);
	chrome_text(d->j, "name", name);
	chrome_args(d->j);
	chrome_int(d->j, "bytes", bytes);
	chrome_close(d->j);
}

/* What is live where a part begins, and after all events of each moment. */
static void put_memory(export_drawing *d, const memory_place *p)
{
	shown_side side = shown_of(d->all, true, has_place, &(counter){ .d = d, .place = p });
	const char *name = arena_printf(&d->texts, "GPU %lld %s memory", (long long)p->gpu, memory_kind_name(p->kind));
	int64_t pid = side.parts.n ? export_pid(d, p->proc) : 0;
	size_t lo, hi;

	for (size_t k = 0; k < side.parts.n; k++) {
		events_of(p, side.parts.v[k], &lo, &hi);
		if (lo == p->n || p->v[lo].start > side.parts.v[k].a)
			put_live(d, pid, name, side.parts.v[k].a, lo ? p->v[lo - 1].live : p->before);
		for (size_t i = lo; i < hi; i++)
			if (i + 1 == p->n || p->v[i + 1].start > p->v[i].start)
				put_live(d, pid, name, p->v[i].start, p->v[i].live);
	}
	shown_side_free(&side);
}

void export_counters(export_drawing *d)
{
	for (size_t i = 0; i < d->t->nmetrics; i++)
		put_metric(d, &d->t->metrics[i]);
	for (size_t i = 0; i < d->memory.nplaces; i++)
		put_memory(d, &d->memory.places[i]);
}
