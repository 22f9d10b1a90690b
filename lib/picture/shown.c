#include "picture/timeline.h"
#include "base/search.h"

shown_times shown_times_build(const windows *all, bool cpu, bool (*take)(const window *w, const void *ctx),
	const void *ctx)
{
	shown_times s = { 0 };
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

void shown_times_free(shown_times *s)
{
	ival_free(&s->parts);
	vec_free(&s->each);
}

bool shown_has(const shown_times *s, int64_t start, int64_t end)
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

static bool shown_takes_lane(const window *w, const void *lane)
{
	return window_has_lane(w, lane);
}

static bool shown_takes_proc(const window *w, const void *proc)
{
	return w->proc == NONE || w->proc == *(const uint32_t *)proc;
}

shown *shown_build(const trace *t, const windows *all)
{
	shown *s = mem_new(shown, 1);

	s->nlanes = t->nlanes;
	s->nprocs = t->nprocs;
	s->lanes = mem_new(shown_times, t->nlanes);
	s->procs = mem_new(shown_times, t->nprocs);
	for (size_t i = 0; i < t->nlanes; i++)
		s->lanes[i] = shown_times_build(all, false, shown_takes_lane, &t->lanes[i]);
	for (uint32_t i = 0; i < t->nprocs; i++)
		s->procs[i] = shown_times_build(all, true, shown_takes_proc, &i);
	return s;
}

void shown_free(shown *s)
{
	for (size_t i = 0; i < s->nlanes; i++)
		shown_times_free(&s->lanes[i]);
	for (size_t i = 0; i < s->nprocs; i++)
		shown_times_free(&s->procs[i]);
	mem_free(s->lanes, s->procs, s);
}

/* ---- streams that share a row */

typedef struct {
	size_t stream;          /* its index in small_streams.small */
	int64_t time;           /* its work time that is shown, ns; 0: it has no work there */
} stream_time;

static int shown_compare_times(const void *x, const void *y)
{
	const stream_time *p = x, *q = y;

	return p->time != q->time ? (p->time < q->time) - (p->time > q->time) :
		(p->stream > q->stream) - (p->stream < q->stream);
}

static small_streams shown_find_streams(const trace *t, const trace_lane *lane)
{
	small_streams k = { 0 };
	size_t end;

	search_first(k.first, 0, t->nstreams, t->streams[k.first].proc > lane->proc ||
		     (t->streams[k.first].proc == lane->proc && t->streams[k.first].gpu >= lane->gpu));
	search_first(end, k.first, t->nstreams, t->streams[end].proc > lane->proc || t->streams[end].gpu > lane->gpu);
	k.n = end - k.first;
	k.small = mem_new(bool, k.n);
	return k;
}

small_streams small_streams_find(const trace *t, size_t lane, const shown_times *side)
{
	small_streams k = shown_find_streams(t, &t->lanes[lane]);
	stream_time *v = mem_new(stream_time, k.n);
	int64_t total = 0;
	size_t last = 0;

	for (size_t s = 0; s < k.n; s++)
		v[s].stream = s;
	for (size_t i = 0, end = 0; i < end || window_next_in_lane(t, &t->lanes[lane], &side->parts, &i, &end); i++)
		if (shown_has(side, t->work.start[i], t->work.end[i])) {
			int64_t ns = ival_within(&side->parts, t->work.start[i], t->work.end[i]);
			int64_t *time = &v[t->work.stream[i] - k.first].time;
			ns += !ns;              /* work without length counts as 1 ns, because 0 means that the
						 * stream has no work */
			*time = ns_add(*time, ns);
			total = ns_add(total, ns);
		}
	if (k.n)
		qsort(v, k.n, sizeof *v, shown_compare_times);
	for (size_t i = SMALL_OWN; i < k.n && v[i].time; i++)
		if (v[i].time <= (total - 1) / 100) {
			k.small[v[i].stream] = true;
			k.shared++;
			last = v[i].stream;
		}
	if (k.shared == 1) {
		k.small[last] = false;
		k.shared = 0;
	}
	free(v);
	return k;
}

void small_streams_free(small_streams *k)
{
	free(k->small);
}
