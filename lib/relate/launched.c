#include "relate/launched.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/call_class.h"

#include <string.h>

enum { STRETCH = 1 << 16, BLOCK = 8 };  /* calls that a thread looks at, and calls of which the first is kept */

struct launched {
	const trace *t;
	uint32_t *work;         /* by launching call, then start; */
	bool *replays;          /* by kind of call: does it replay a CUDA graph? */
	uint32_t *first;        /* by call: where its work begins there, and at the end where the last ends; once all is
				 * in order, only of each BLOCK calls */
};

/* The work of a process: a slice of all.  What it was launched by is the process's own. */
static size_t work_of(const trace *t, size_t proc, size_t *end)
{
	size_t last, first = trace_lanes(t, (uint32_t)proc, &last);

	*end = first == last ? 0 : t->lanes[last - 1].first + t->lanes[last - 1].n;
	return first == last ? 0 : t->lanes[first].first;
}

static void count_work(void *ctx, size_t proc)
{
	launched *l = ctx;
	size_t end, i = work_of(l->t, proc, &end);

	for (; i < end; i++)
		if (l->t->work.launch[i] != NONE)
			l->first[l->t->work.launch[i] + 2]++;
}

/* first[c + 1] is where the next work of call c goes. */
static void place_work(void *ctx, size_t proc)
{
	launched *l = ctx;
	size_t end, i = work_of(l->t, proc, &end);

	for (; i < end; i++)
		if (l->t->work.launch[i] != NONE)
			l->work[l->first[l->t->work.launch[i] + 1]++] = (uint32_t)i;
}

/* Work is in order of start on each GPU, so only launches on several are out of order. */
static void order_launches(void *ctx, size_t which)
{
	launched *l = ctx;
	const trace *t = l->t;

	for (size_t c = which * STRETCH; c < t->calls.n && c < (which + 1) * STRETCH; c++)
		for (uint32_t i = l->first[c]; i + 1 < l->first[c + 1]; i++)
			if (trace_by_start(l->work[i], l->work[i + 1], &t->work) > 0) {
				sort_items(l->work + l->first[c], l->first[c + 1] - l->first[c], trace_by_start,
					   &t->work);
				break;
			}
}

/* A number for each call would take as much as what they say. */
static void keep_first(launched *l)
{
	size_t n = l->t->calls.n;

	for (size_t b = 0; b <= n / BLOCK; b++)
		l->first[b] = l->first[b * BLOCK];
	l->first[n / BLOCK + 1] = l->first[n];
	l->first = mem_grow(l->first, n / BLOCK + 2, sizeof *l->first);
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	launched *l = mem_new(launched, 1);
	uint32_t total = 0;

	l->t = t;
	l->first = mem_new(uint32_t, t->calls.n + 2);
	l->work = mem_grow(NULL, t->work.n, sizeof *l->work);
	par_do(t->workers, t->nprocs, count_work, l);
	for (size_t c = 0; c < t->calls.n; c++)
		l->first[c + 2] = total += l->first[c + 2];
	par_do(t->workers, t->nprocs, place_work, l);
	par_do(t->workers, t->calls.n / STRETCH + 1, order_launches, l);
	l->replays = mem_new(bool, t->calls.nkinds);
	for (size_t i = 0; i < t->calls.nkinds; i++)
		l->replays[i] = t->calls.kinds[i].name != STR_NONE &&
			strncmp(str_at(&t->names, t->calls.kinds[i].name), "cu", 2) == 0 &&
			call_replays(str_at(&t->names, t->calls.kinds[i].name));
	keep_first(l);
	return l;
}

static void drop(void *made)
{
	launched *l = made;

	mem_free(l->work, l->first, l->replays, l);
}

const launched *launched_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

static size_t first_of(const launched *l, uint32_t call)
{
	size_t i;

	search_first(i, l->first[call / BLOCK], l->first[call / BLOCK + 1], l->t->work.launch[l->work[i]] >= call);
	return i;
}

const uint32_t *launched_by(const launched *l, uint32_t call, size_t *n)
{
	size_t first = first_of(l, call), end;

	search_first(end, first, l->first[call / BLOCK + 1], l->t->work.launch[l->work[end]] > call);
	*n = end - first;
	return l->work + first;
}

bool launched_replays(const launched *l, uint32_t call)
{
	return l->replays[l->t->calls.kind[call]];
}

int64_t launched_issued(const launched *l, size_t work)
{
	const trace *t = l->t;
	uint32_t call = t->work.launch[work], lead;
	int64_t first;

	if (call == NONE)
		return INT64_MIN;
	lead = l->work[first_of(l, call)];
	first = lead == work || launched_replays(l, call) ? t->work.start[lead] : calls_end(&t->calls, call);
	return first < calls_end(&t->calls, call) ? first : calls_end(&t->calls, call);
}

static int by_end(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_work *w = ctx;

	return w->end[a] != w->end[b] ? sort_3way(w->end[a], w->end[b]) : trace_by_start(a, b, ctx);
}

/* Both orders of a launch's work are gone through at once. */
uint32_t *launched_replayed(const launched *l)
{
	const trace_work *w = &l->t->work;
	uint32_t *replayed = NULL;
	vec(uint32_t) ended = { 0 };

	for (size_t c = 0; c < l->t->calls.n; c++) {
		size_t n = 0, k = 0;
		const uint32_t *of = launched_replays(l, (uint32_t)c) ? launched_by(l, (uint32_t)c, &n) : NULL;
		if (n < 2)
			continue;
		if (!replayed)
			replayed = mem_none(uint32_t, w->n);
		vec_reserve(&ended, n);
		memcpy(ended.v, of, n * sizeof *of);
		sort_items(ended.v, n, by_end, w);
		for (size_t i = 0; i < n; i++) {
			int64_t at = w->start[of[i]];
			while (k < n && w->end[ended.v[k]] <= at && w->start[ended.v[k]] < at)
				k++;
			if (k)
				replayed[of[i]] = ended.v[k - 1];
		}
	}
	vec_free(&ended);
	return replayed;
}
