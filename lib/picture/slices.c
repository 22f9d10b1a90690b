#include "picture/slices.h"

static void sort_calls(slices *c)
{
	const trace *t = c->t;
	size_t *next = mem_new(size_t, t->nthreads + 1);

	c->first = mem_new(size_t, t->nthreads + 1);
	c->calls = mem_new(uint32_t, t->calls.n);
	for (size_t i = 0; i < t->calls.n; i++)
		c->first[t->calls.thread[i] + 1]++;
	for (size_t i = 0; i < t->nthreads; i++)
		next[i + 1] = c->first[i + 1] += c->first[i];
	for (size_t i = 0; i < t->calls.n; i++)
		c->calls[next[t->calls.thread[i]]++] = (uint32_t)i;
	free(next);
}

slices *slices_build(trace *t, const around *a, const shown *s)
{
	slices *c = mem_new(slices, 1);

	*c = (slices){ .t = t, .around = a, .shown = s, .drawn = mem_new(bool, t->calls.n) };
	sort_calls(c);
	for (uint32_t i = 0; i < t->nthreads; i++)
		for (slice at = slices_of(c, i); slices_next(c, &at);)
			if (at.call)
				c->drawn[at.at] = !at.crosses;
	return c;
}

void slices_free(slices *c)
{
	free(c->calls);
	free(c->first);
	free(c->drawn);
	free(c);
}

slice slices_of(const slices *c, uint32_t thread)
{
	return (slice){ .side = &c->shown->procs[c->t->threads[thread].proc],
		.range = c->around->first[thread], .range_end = c->around->first[thread + 1],
		.next_call = c->first[thread], .call_end = c->first[thread + 1] };
}

/* Does the range come before the call?  The one that starts first, or is longer, or the range. */
static bool range_first(const slices *c, const slice *at)
{
	const trace_ranges *r = &c->t->pushpop;
	const trace_calls *k = &c->t->calls;
	size_t call;

	if (at->range == at->range_end || at->next_call == at->call_end)
		return at->range < at->range_end;
	call = c->calls[at->next_call];
	return r->start[at->range] != k->start[call] ? r->start[at->range] < k->start[call] : r->end[at->range] >= k->end[call];
}

/* Is it inside what is open, or beside all of it? */
static bool fits(slice *at)
{
	while (at->open.n && at->open.v[at->open.n - 1] <= at->part.a)
		at->open.n--;
	if (at->open.n && at->open.v[at->open.n - 1] < at->part.b)
		return false;
	vec_push(&at->open, at->part.b);
	return true;
}

bool slices_next(const slices *c, slice *at)
{
	const trace *t = c->t;

	while (at->side->parts.n && (at->range < at->range_end || at->next_call < at->call_end)) {
		int64_t start, end;
		at->call = !range_first(c, at);
		at->at = at->call ? c->calls[at->next_call++] : at->range++;
		start = at->call ? t->calls.start[at->at] : t->pushpop.start[at->at];
		end = at->call ? t->calls.end[at->at] : t->pushpop.end[at->at];
		if (!shown_has(at->side, start, end))
			continue;
		at->part = window_clip(&at->side->parts, start, end);
		at->crosses = !fits(at);
		return true;
	}
	vec_free(&at->open);
	return false;
}

ival slices_call(const slices *c, size_t call)
{
	const trace *t = c->t;
	const shown_side *side = &c->shown->procs[t->threads[t->calls.thread[call]].proc];

	return window_clip(&side->parts, t->calls.start[call], t->calls.end[call]);
}
