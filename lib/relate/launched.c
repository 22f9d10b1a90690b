#include "relate/launched.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/projection.h"
#include "trace/call_class.h"

#include <string.h>

struct launched {
	const trace *t;
	const projection *p;
	bool *replays;          /* by kind of call: does it replay a CUDA graph? */
};

static void *make(trace *t, int64_t unused UNNEEDED)
{
	launched *l = mem_new(launched, 1);

	*l = (launched){ .t = t, .p = projection_on(t, -1), .replays = mem_new(bool, t->calls.nkinds) };
	for (size_t i = 0; i < t->calls.nkinds; i++)
		l->replays[i] = t->calls.kinds[i].name != STR_NONE &&
			strncmp(str_at(&t->names, t->calls.kinds[i].name), "cu", 2) == 0 &&
			call_replays(str_at(&t->names, t->calls.kinds[i].name));
	return l;
}

static void drop(void *made)
{
	launched *l = made;

	mem_free(l->replays, l);
}

const launched *launched_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

const uint32_t *launched_by(const launched *l, uint32_t call, size_t *n)
{
	const trace *t = l->t;
	size_t from, to, all;
	const uint32_t *of = projection_launched(l->p, t->threads[calls_thread(&t->calls, call)].proc, &all);

	search_first(from, 0, all, t->work.launch[of[from]] >= call);
	for (to = from; to < all && t->work.launch[of[to]] == call;)
		to++;
	*n = to - from;
	return of + from;
}

bool launched_replays(const launched *l, uint32_t call)
{
	return l->replays[calls_kind(&l->t->calls, call)];
}

int64_t launched_issued(const launched *l, size_t work)
{
	const trace *t = l->t;
	uint32_t call = t->work.launch[work], lead = (uint32_t)work;

	if (call == NONE)
		return INT64_MIN;
	if (launched_replays(l, call))
		lead = launched_by(l, call, &(size_t){ 0 })[0];
	return ns_min(t->work.start[lead], calls_end(&t->calls, call));
}

static int by_end(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_work *w = ctx;

	return w->end[a] != w->end[b] ? sort_3way(w->end[a], w->end[b]) : trace_by_start(a, b, ctx);
}

/* Both orders of a launch's work are gone through at once. */
static void find_replayed(const launched *l, const uint32_t *of, size_t n, uint32_t *ended, uint32_t *replayed)
{
	const trace_work *w = &l->t->work;
	size_t k = 0;

	memcpy(ended, of, n * sizeof *of);
	sort_items(ended, n, by_end, w);
	for (size_t i = 0; i < n; i++) {
		int64_t at = w->start[of[i]];
		while (k < n && w->end[ended[k]] <= at && w->start[ended[k]] < at)
			k++;
		if (k)
			replayed[of[i]] = ended[k - 1];
	}
}

typedef struct {
	const launched *l;
	uint32_t *replayed;
} finding;

static void find_of_process(void *ctx, size_t proc)
{
	const finding *f = ctx;
	const uint32_t *launch = f->l->t->work.launch;
	vec(uint32_t) ended = { 0 };
	size_t all;
	const uint32_t *of = projection_launched(f->l->p, (uint32_t)proc, &all);

	for (size_t i = 0, n; i < all; i += n) {
		for (n = 1; i + n < all && launch[of[i + n]] == launch[of[i]];)
			n++;
		if (n < 2 || !launched_replays(f->l, launch[of[i]]))
			continue;
		vec_reserve(&ended, n);
		find_replayed(f->l, of + i, n, ended.v, f->replayed);
	}
	vec_free(&ended);
}

uint32_t *launched_replayed(const launched *l)
{
	finding f = { l, NULL };

	for (size_t i = 0; i < l->t->calls.nkinds && !f.replayed; i++)
		f.replayed = l->replays[i] ? mem_none(uint32_t, l->t->work.n) : NULL;
	if (f.replayed)
		par_do(l->t->workers, l->t->nprocs, find_of_process, &f);
	return f.replayed;
}
