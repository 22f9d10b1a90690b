#include "relate/touching.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/acts.h"

static int by_start(uint32_t a, uint32_t b, const void *ctx)
{
	const ival *v = ctx;

	return sort_3way(v[a].a, v[b].a);
}

touching touching_of(const ival *v, size_t n)
{
	touching k = { n, sort_all(n, by_start, v), mem_new(int64_t, n), mem_new(int64_t, n), { 0 } };

	for (size_t i = 0; i < n; i++) {
		k.start[i] = v[k.which[i]].a;
		k.end[i] = v[k.which[i]].b;
	}
	k.reach = trace_reach_of(k.start, k.end, NULL, n, PAR_ALONE);
	return k;
}

void touching_in(const touching *k, ival in, touched *to)
{
	size_t last;

	to->n = 0;
	search_first(last, 0, k->n, k->start[last] >= in.b);
	for (size_t i = 0; i < last; i++) {
		if (i % REACH_BLOCK == 0) {
			size_t block = trace_reaching(&k->reach, i / REACH_BLOCK, in.a);
			if (block == SIZE_MAX || block * REACH_BLOCK >= last)
				break;
			i = block * REACH_BLOCK;
		}
		if (k->end[i] >= in.a)
			vec_push(to, k->which[i]);
	}
	sort_numbers(to->v, to->n);
}

void touching_free(touching *k)
{
	mem_free(k->which, k->start, k->end, k->reach.latest);
}

static void drop(void *made)
{
	touching_free(made);
	free(made);
}

static void *make_startend(trace *t, int64_t unused UNNEEDED)
{
	const trace_ranges *r = &t->startend;
	ival *v = mem_new(ival, r->n);
	touching *k = mem_new(touching, 1);

	for (size_t i = 0; i < r->n; i++)
		v[i] = (ival){ r->start[i], r->end[i] };
	*k = touching_of(v, r->n);
	free(v);
	return k;
}

const touching *touching_startend(trace *t)
{
	return trace_keep(t, make_startend, 0, drop);
}

static void widen_by_acts(ival *v, const trace *t, const trace_acts *a)
{
	for (uint32_t th = 0; a->n && th < t->nthreads; th++)
		if (a->first[th] < a->first[th + 1])
			v[th] = ival_hull(v[th], (ival){ a->start[a->first[th]],
							 acts_reach_before(a, th, a->first[th + 1]) });
}

static void widen_by_ranges(ival *v, const trace_ranges *r)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t th = ranges_thread(r, i);
		v[th] = ival_hull(v[th], (ival){ r->start[i], r->end[i] });
	}
}

/* When each thread does something. */
static void *make_threads(trace *t, int64_t unused UNNEEDED)
{
	const trace_stretches *s = &t->stretches;
	ival *v = mem_new(ival, t->nthreads);
	touching *k = mem_new(touching, 1);

	for (size_t th = 0; th < t->nthreads; th++)
		v[th] = s->first && s->first[th] < s->end[th] ?
			(ival){ s->at[s->first[th]], s->at[s->end[th] - 1] } : IVAL_NOWHERE;
	for (size_t i = 0; t->calls.length.ns && i < t->calls.n; i++) {
		uint32_t th = calls_thread(&t->calls, i);
		v[th] = ival_hull(v[th], (ival){ t->calls.start[i], calls_end(&t->calls, i) });
	}
	widen_by_ranges(v, &t->pushpop);
	widen_by_ranges(v, &t->startend);
	widen_by_acts(v, t, &t->samples);
	widen_by_acts(v, t, &t->os);
	widen_by_acts(v, t, &t->marks);
	widen_by_acts(v, t, &t->mpi);
	*k = touching_of(v, t->nthreads);
	free(v);
	return k;
}

void touching_threads(trace *t, uint32_t proc, ival in, touched *to)
{
	uint32_t end, first = trace_threads(t, proc, &end);
	const touching *k = end - first > REACH_BLOCK ? trace_keep(t, make_threads, 0, drop) : NULL;
	size_t n = 0;

	to->n = 0;
	if (k)
		touching_in(k, in, to);
	for (uint32_t i = first; !k && i < end; i++)
		vec_push(to, i);
	for (size_t i = 0; i < to->n; i++)
		if (to->v[i] >= first && to->v[i] < end)
			to->v[n++] = to->v[i];
	to->n = n;
}
