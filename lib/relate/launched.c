#include "relate/launched.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "relate/projection.h"
#include "trace/call_class.h"

#include <string.h>

struct launched {
	const trace *t;
	const projection *p;
	const uint32_t *work;   /* by process, launching call, then start; */
	size_t n;
	uint32_t *first;        /* by call: where its work begins there; NONE: it launched none */
	bool *replays;          /* by kind of call: does it replay a CUDA graph? */
};

static void find_first(void *ctx, size_t proc)
{
	launched *l = ctx;
	const uint32_t *launch = l->t->work.launch;
	size_t n;
	const uint32_t *of = projection_launched(l->p, (uint32_t)proc, &n);

	for (size_t i = 0; i < n; i++)
		if (!i || launch[of[i]] != launch[of[i - 1]])
			l->first[launch[of[i]]] = (uint32_t)(of - l->work + (ptrdiff_t)i);
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	launched *l = mem_new(launched, 1);

	*l = (launched){ .t = t, .p = projection_on(t, -1), .first = mem_none(uint32_t, t->calls.n) };
	for (size_t p = t->nprocs, n; p-- > 0; l->n += n)
		l->work = projection_launched(l->p, (uint32_t)p, &n);
	par_do(t->workers, t->nprocs, find_first, l);
	l->replays = mem_new(bool, t->calls.nkinds);
	for (size_t i = 0; i < t->calls.nkinds; i++)
		l->replays[i] = t->calls.kinds[i].name != STR_NONE &&
			strncmp(str_at(&t->names, t->calls.kinds[i].name), "cu", 2) == 0 &&
			call_replays(str_at(&t->names, t->calls.kinds[i].name));
	return l;
}

static void drop(void *made)
{
	launched *l = made;

	mem_free(l->first, l->replays, l);
}

const launched *launched_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

const uint32_t *launched_by(const launched *l, uint32_t call, size_t *n)
{
	size_t from = l->first[call], to = from;

	if (from == NONE) {
		*n = 0;
		return NULL;
	}
	while (to < l->n && l->t->work.launch[l->work[to]] == call)
		to++;
	*n = to - from;
	return l->work + from;
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
	lead = l->work[l->first[call]];
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
