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
	k.reach = trace_reach_of(k.end, n);
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

/* When each of some threads or lanes does something. */
typedef struct {
	vec(ival) v;
	vec(uint32_t) of;       /* whose it is */
	ival *latest;           /* by thread or lane: the one that may grow, not in v yet */
	int64_t near;           /* what is not farther apart is one */
} doing;

/* Of so many events.  Those of one thread that lie as near as a block of all events are one: else a trace in which few
 * of many threads do nearly everything would take memory for each event. */
static doing begin(const trace *t, size_t threads, size_t events)
{
	doing d = { .latest = mem_grow(NULL, threads, sizeof *d.latest),
		.near = ns_add(t->span.b, -t->span.a) / (int64_t)(events / REACH_BLOCK + 1) };

	for (size_t i = 0; i < threads; i++)
		d.latest[i] = IVAL_NOWHERE;
	return d;
}

static void close_latest(doing *d, uint32_t of)
{
	if (d->latest[of].a == IVAL_NOWHERE.a)
		return;
	vec_push(&d->v, d->latest[of]);
	vec_push(&d->of, of);
}

static void add(doing *d, uint32_t of, ival at)
{
	ival latest = d->latest[of];

	if (at.a >= ns_add(latest.a, -d->near) && at.a <= ns_add(latest.b, d->near)) {
		d->latest[of] = ival_hull(latest, at);
		return;
	}
	close_latest(d, of);
	d->latest[of] = at;
}

static touching *end(doing *d, size_t threads)
{
	touching *k = mem_new(touching, 1);

	for (size_t i = 0; i < threads; i++)
		close_latest(d, (uint32_t)i);
	*k = touching_of(d->v.v, d->v.n);
	for (size_t i = 0; i < k->n; i++)
		k->which[i] = d->of.v[k->which[i]];
	mem_free(d->v.v, d->of.v, d->latest);
	return k;
}

static void add_acts(doing *d, const trace *t, const trace_acts *a)
{
	for (uint32_t th = 0; a->n && th < t->nthreads; th++)
		for (size_t i = a->first[th]; i < a->first[th + 1]; i++)
			add(d, th, (ival){ a->start[i], acts_end(a, i) });
}

static void add_ranges(doing *d, const trace_ranges *r)
{
	for (size_t i = 0; i < r->n; i++)
		add(d, ranges_thread(r, i), (ival){ r->start[i], r->end[i] });
}

static void *make_threads(trace *t, int64_t unused UNNEEDED)
{
	const trace_stretches *s = &t->stretches;
	doing d = begin(t, t->nthreads, t->calls.n + t->pushpop.n + t->startend.n + t->samples.n + t->os.n +
			t->marks.n + t->mpi.n);

	for (uint32_t th = 0; s->first && th < t->nthreads; th++)       /* also while it does not run */
		if (s->first[th] < s->end[th])
			add(&d, th, (ival){ s->at[s->first[th]], s->at[s->end[th] - 1] });
	for (size_t i = 0; t->calls.end && i < t->calls.n; i++)
		add(&d, calls_thread(&t->calls, i), (ival){ t->calls.start[i], calls_end(&t->calls, i) });
	add_ranges(&d, &t->pushpop);
	add_ranges(&d, &t->startend);
	add_acts(&d, t, &t->samples);
	add_acts(&d, t, &t->os);
	add_acts(&d, t, &t->marks);
	add_acts(&d, t, &t->mpi);
	return end(&d, t->nthreads);
}

static void *make_lanes(trace *t, int64_t unused UNNEEDED)
{
	doing d = begin(t, t->nlanes, t->work.n);

	for (uint32_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			add(&d, l, (ival){ t->work.start[i], work_end(&t->work, i) });
	return end(&d, t->nlanes);
}

/* Are they few, or is it all the time of the trace that is asked about? */
static bool is_all(size_t n, ival in, ival span)
{
	return n <= REACH_BLOCK || (in.a <= span.a && in.b >= span.b);
}

/* Those of [first,end) that do something there, each once; make NULL: all of them. */
static void find(trace *t, trace_make *make, ival in, size_t first, size_t end, touched *to)
{
	size_t n = 0;

	to->n = 0;
	if (make)
		touching_in(trace_keep(t, make, 0, drop), in, to);
	for (size_t i = first; !make && i < end; i++)
		vec_push(to, (uint32_t)i);
	for (size_t i = 0; i < to->n; i++)
		if (to->v[i] >= first && to->v[i] < end && (!n || to->v[n - 1] != to->v[i]))
			to->v[n++] = to->v[i];
	to->n = n;
}

void touching_threads(trace *t, uint32_t proc, ival in, touched *to)
{
	uint32_t end, first = trace_threads(t, proc, &end);

	find(t, is_all(end - first, in, t->span) ? NULL : make_threads, in, first, end, to);
}

void touching_lanes(trace *t, size_t first, size_t end, ival in, touched *to)
{
	find(t, is_all(end - first, in, t->work_span) ? NULL : make_lanes, in, first, end, to);
}
