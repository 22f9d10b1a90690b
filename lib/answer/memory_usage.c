#include "answer/memory_usage.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/ranges_around.h"

struct memory_usage {
	memory_events events;
	vec(memory_sums) sums;
	vec(size_t) first;              /* by window: its first sums */
	vec(memory_call) calls;         /* of the allocations that made the peaks */
	vec(size_t) call_of;            /* by sums: index into calls, SIZE_MAX if no allocation in the window made
					 * the peak */
};

static void look(memory_sums *s, const memory_event **maker, int64_t live, int64_t at, const memory_event *made_by)
{
	if (s->peak_ns != TRACE_UNKNOWN && live <= s->peak)
		return;
	s->peak = live;
	s->peak_ns = at;
	*maker = made_by;
}

/* Go through the events of one part of a window.  The sum is looked at after all events of a moment, and when the part
 * begins unless events change it right there. */
static void sum_part(memory_sums *s, const memory_event **maker, ival part)
{
	const memory_place *p = s->place;
	size_t i;

	search_first(i, 0, p->n, p->v[i].start >= part.a);
	s->end = i ? p->v[i - 1].live : p->before;
	if (i == p->n || p->v[i].start > part.a)
		look(s, maker, s->end, part.a, NULL);
	for (size_t first = i; i < p->n && p->v[i].start < part.b; i++) {
		const memory_event *e = &p->v[i];
		s->allocs += !e->freed;
		s->frees += e->freed;
		s->allocated = ns_add(s->allocated, e->freed ? 0 : e->bytes);
		s->end = e->live;
		if (i + 1 < p->n && e[1].start == e->start)
			continue;
		look(s, maker, e->live, e->start, p->v[first].freed ? NULL : &p->v[first]);
		first = i + 1;
	}
}

static void sum_place(memory_usage *u, const memory_place *p, const window *w)
{
	memory_sums s = { .place = p, .peak_ns = TRACE_UNKNOWN, .nvtx = STR_NONE };
	const memory_event *maker = NULL;

	for (size_t k = 0; k < w->cpu.n; k++)
		sum_part(&s, &maker, w->cpu.v[k]);
	vec_push(&u->sums, s);
	vec_push(&u->call_of, maker ? u->calls.n : SIZE_MAX);
	if (maker)
		vec_push(&u->calls, (memory_call){ .proc = p->proc, .corr = maker->corr });
}

static int call_order(uint32_t a, uint32_t b, const void *ctx)
{
	const memory_call *calls = ctx;

	return sort_3way(calls[a].corr, calls[b].corr);
}

/* Find the calls, which must be looked for in order of their correlation ids. */
static bool find_calls(const trace *t, memory_usage *u)
{
	size_t n = u->calls.n;
	uint32_t *order = sort_order(n, call_order, u->calls.v);
	memory_call *sorted = mem_new(memory_call, n);
	bool ok;

	for (size_t i = 0; i < n; i++)
		sorted[i] = u->calls.v[order ? order[i] : i];
	ok = memory_events_calls(t, sorted, n);
	for (size_t i = 0; i < n; i++)
		u->calls.v[order ? order[i] : i] = sorted[i];
	free(sorted);
	free(order);
	return ok;
}

static uint32_t range_of(const around *a, const memory_call *c, bool adopt)
{
	uint32_t range = c->thread == NONE ? NONE : around_at(a, c->thread, c->start), main_thread;

	if (range == NONE && adopt && c->thread != NONE) {
		main_thread = around_main_thread(a->t, c->proc);
		range = main_thread == NONE ? NONE : around_at(a, main_thread, c->start);
	}
	return range == NONE ? STR_NONE : a->t->pushpop.name[range];
}

static void name_ranges(trace *t, memory_usage *u, bool adopt)
{
	const around *a = around_of(t, AROUND_RANGES);

	for (size_t i = 0; i < u->sums.n; i++)
		if (u->call_of.v[i] != SIZE_MAX)
			u->sums.v[i].nvtx = range_of(a, &u->calls.v[u->call_of.v[i]], adopt);
}

memory_usage *memory_usage_build(trace *t, const windows *all, bool adopt)
{
	memory_usage *u = mem_new(memory_usage, 1);
	bool ok = memory_events_load(t, &u->events);

	for (size_t i = 0; ok && i < all->n; i++) {
		const window *w = &all->v[i];
		vec_push(&u->first, u->sums.n);
		for (size_t k = 0; k < u->events.nplaces; k++) {
			const memory_place *p = &u->events.places[k];
			if ((w->proc == NONE || w->proc == p->proc) && (w->device < 0 || w->device == p->gpu))
				sum_place(u, p, w);
		}
		vec_push(&u->sums, (memory_sums){ 0 });
		vec_push(&u->call_of, SIZE_MAX);
	}
	ok = ok && find_calls(t, u);
	if (ok) {
		name_ranges(t, u, adopt);
		return u;
	}
	memory_usage_free(u);
	return NULL;
}

void memory_usage_free(memory_usage *u)
{
	memory_events_free(&u->events);
	vec_free(&u->sums);
	vec_free(&u->first);
	vec_free(&u->calls);
	vec_free(&u->call_of);
	free(u);
}

const memory_sums *memory_usage_of(const memory_usage *u, size_t which)
{
	return &u->sums.v[u->first.v[which]];
}
