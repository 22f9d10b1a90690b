#include "trace/idle_calls.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "sqlite/rows.h"

#include <string.h>

enum { CLOSE_NS = 10000 };      /* idle times so close to each other are taken for one: there are few, then */
static const ival never = { INT64_MAX, INT64_MAX };     /* ends those of each process */

struct idle_calls {
	const trace *t;
	const launches *l;
	ival_set *of;           /* by process of l */
};

static void add(ival_set *to, size_t first, ival idle)
{
	if (to->n > first && idle.a - to->v[to->n - 1].b < CLOSE_NS)
		to->v[to->n - 1].b = ns_max(to->v[to->n - 1].b, idle.b);
	else
		vec_push(to, idle);
}

/* When the lane is idle between its first work and its last. */
static void add_lane(const trace *t, const trace_lane *lane, ival_set *to)
{
	const int64_t *start = t->work.start;
	size_t first = to->n, i = lane->first;
	int64_t until = start[i];

	for (; i < lane->first + lane->n; i++) {
		if (start[i] > until)
			add(to, first, (ival){ until, start[i] });
		until = ns_max(until, work_end(&t->work, i));
	}
}

static int by_start(const void *x, const void *y)
{
	const ival *a = x, *b = y;

	return sort_3way(a->a, b->a);
}

static void find_process(void *ctx, size_t which)
{
	const idle_calls *all = ctx;
	const launches_ids *p = &all->l->v[which];
	ival_set *to = &all->of[which], lanes = { 0 };
	size_t first, lane;

	search_first(first, 0, all->t->nlanes, all->t->lanes[first].first >= p->from);
	for (lane = first; lane < all->t->nlanes && all->t->lanes[lane].first < p->to; lane++)
		add_lane(all->t, &all->t->lanes[lane], &lanes);
	if (lane - first > 1 && lanes.n)
		qsort(lanes.v, lanes.n, sizeof *lanes.v, by_start);
	for (size_t i = 0; i < lanes.n; i++)
		add(to, 0, lanes.v[i]);
	vec_push(to, never);
	vec_free(&lanes);
}

idle_calls *idle_calls_build(const trace *t, const launches *l)
{
	idle_calls *all = mem_new(idle_calls, 1);

	*all = (idle_calls){ t, l, mem_new(ival_set, l->n) };
	par_do(t->workers, l->n, find_process, all);
	return all;
}

void idle_calls_free(idle_calls *all)
{
	for (size_t i = 0; i < all->l->n; i++)
		vec_free(&all->of[i]);
	mem_free(all->of, all);
}

idle_thread idle_calls_of(const idle_calls *all, int64_t process)
{
	const launches_ids *p = launches_of(all->l, process);
	const ival_set *of = p ? &all->of[p - all->l->v] : NULL;

	return (idle_thread){ .idle = of ? of->v : &never, .last_idle = of ? &of->v[of->n - 1] : &never,
		.from = INT64_MIN, .until = INT64_MIN, .last = NONE };
}

/* Is a GPU idle between the moments?  The first of them never decreases. */
static inline bool is_idle(idle_thread *th, int64_t a, int64_t b)
{
	if (th->idle->b <= a) {
		size_t i;
		search_near(i, 0, 0, (size_t)(th->last_idle - th->idle), th->idle[i].b > a);
		th->idle += i;
	}
	return th->idle->a < b;
}

/* Keep the last calls of a batch that overlap, or do not.  Mostly that is one; whether it is kept is not branched on
 * here, since it is hard to predict. */
static inline void keep_last(const idle_thread *th, bool kept, const uint32_t *before, bool *keep)
{
	for (uint32_t i = th->last; i != NONE; i = before[i])
		keep[i] = kept;
}

size_t idle_calls_keep(idle_thread *threads, const idle_rows *b, uint32_t *kept)
{
	uint32_t before[ROWS_BATCH];    /* the one that it overlaps */
	bool keep[ROWS_BATCH];
	size_t n = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		idle_thread *th = &threads[b->thread[i]];
		int64_t start = b->start[i], end = b->end[i];
		bool is = b->keep[i];
		th->unordered |= start < th->from;
		th->from = start;
		if (start <= th->until) {
			th->keep |= is | is_idle(th, start, end);
			th->until = ns_max(th->until, end);
			before[i] = th->last;
		} else {
			bool idle = th->until == INT64_MIN || is_idle(th, th->until, start);
			th->first = th->until == INT64_MIN ? start : th->first;
			keep_last(th, idle | th->keep, before, keep);
			th->keep = is | idle | is_idle(th, start, end);
			th->until = end;
			before[i] = NONE;
		}
		th->last = i;
	}
	for (uint32_t i = 0; i < b->n; i++) {   /* what comes next in the last ones of each thread is not known */
		idle_thread *th = &threads[b->thread[i]];
		if (th->last == i) {
			keep_last(th, true, before, keep);
			th->keep = true;
			th->last = NONE;
		}
	}
	for (uint32_t i = 0; i < b->n; i++) {
		kept[n] = i;
		n += keep[i];
	}
	return n;
}
