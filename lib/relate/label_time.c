#include "relate/label_time.h"
#include "base/parallel.h"
#include "base/search.h"

#include <string.h>

enum { STRETCH = 1 << 15 };     /* of work or of ranges that a thread takes at a time */

/* ---- by range */

void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { 0 };

	while (window_next(a->t, w, &k))
		if (work->kind[k.work] <= WORK_GRAPH)
			f(ctx, k.work, ival_within(&w->gpu, work->start[k.work], work->end[k.work]));
}

typedef struct {                /* kernels that one call launched, one after the other */
	size_t first;
	int64_t kernels, ns;
} replay;

/* Kernels that one call launched are in the same ranges, and those of a CUDA graph are many: as range_time_each, but of
 * all of them at once. */
static void each_replay(const around *a, const window *w, void (*f)(void *ctx, const replay *r), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { 0 };
	replay r = { 0 };

	while (window_next(a->t, w, &k)) {
		if (work->kind[k.work] > WORK_GRAPH)
			continue;
		if (r.kernels && (a->captured || work->launch[k.work] != work->launch[r.first])) {
			f(ctx, &r);
			r.kernels = r.ns = 0;
		}
		if (!r.kernels++)
			r.first = k.work;
		r.ns = ns_add(r.ns, ival_within(&w->gpu, work->start[k.work], work->end[k.work]));
	}
	if (r.kernels)
		f(ctx, &r);
}

/* Does every range end within the one around it?  Not if ranges of two domains cross, and not if ranges of
 * another thread, or of another time, are added. */
static bool ranges_nest(const around *a)
{
	const trace_ranges *r = &a->t->pushpop;

	for (size_t i = 0; i < r->n; i++)
		if (a->parent[i] != NONE && r->end[a->parent[i]] < r->end[i])
			return false;
	return !a->main && !a->captured;
}

range_time *range_time_open(const around *a)
{
	range_time *x = mem_new(range_time, 1);
	size_t ranges = a->t->pushpop.n;

	x->a = a;
	x->kernels = mem_new(int64_t, ranges);
	x->self = mem_new(int64_t, ranges);
	x->incl = mem_new(int64_t, ranges);
	x->nested = ranges_nest(a);
	x->sparse = true;
	return x;
}

void range_time_close(range_time *x)
{
	mem_free(x->kernels, x->self, x->incl, x->touched.v, x);
}

static void clear(range_time *x)
{
	size_t ranges = x->a->t->pushpop.n;

	if (x->sparse) {
		for (size_t i = 0; i < x->touched.n; i++) {
			uint32_t r = x->touched.v[i];
			x->kernels[r] = x->self[r] = x->incl[r] = 0;
		}
	} else {
		memset(x->kernels, 0, ranges * sizeof *x->kernels);
		memset(x->self, 0, ranges * sizeof *x->self);
		memset(x->incl, 0, ranges * sizeof *x->incl);
	}
	x->touched.n = 0;
	x->none_ns = x->none_kernels = x->total_ns = 0;
}

typedef struct {                /* some work of a lane */
	size_t first, end;
	range_time sums;        /* the arrays of all, and what is in no range or in any */
} stretch;

typedef vec(stretch) stretches;

/* The work that can be in the window; how much that is. */
static size_t work_in(const trace *t, const window *w, stretches *to)
{
	size_t n = 0;

	for (window_walk k = { 0 }; window_more(t, w, &k); n += k.end - k.next)
		for (size_t i = k.next; i < k.end; i += STRETCH)
			vec_push(to, (stretch){ .first = i, .end = k.end - i < STRETCH ? k.end : i + STRETCH });
	return n;
}

typedef struct {
	range_time *x;
	const window *w;
	stretches work;
	size_t n;               /* pieces of work in them */
} summing;

typedef struct {                /* work with the same innermost range, one after the other */
	uint32_t range;
	int64_t kernels, ns;
} run;

/* Other threads may add to the same range. */
static void add_run(range_time *x, const run *r)
{
	x->total_ns = ns_add(x->total_ns, r->ns);
	if (r->range == NONE) {
		x->none_ns = ns_add(x->none_ns, r->ns);
		x->none_kernels += r->kernels;
	} else {
		int64_t *self = &x->self[r->range], was = __atomic_load_n(self, __ATOMIC_RELAXED);
		__atomic_fetch_add(&x->kernels[r->range], r->kernels, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(self, &was, ns_add(was, r->ns), true, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
			;
	}
}

static void sum_stretch(void *ctx, size_t which)
{
	summing *s = ctx;
	stretch *of = &s->work.v[which];
	const around *a = s->x->a;
	const trace_work *work = &a->t->work;
	run r = { .range = NONE };

	of->sums = *s->x;
	for (size_t i = of->first; i < of->end; i++) {
		uint32_t range;
		if (work->kind[i] > WORK_GRAPH || !window_has(s->w, &s->w->gpu, work->start[i], work->end[i]))
			continue;
		range = around_work(a, i).range;
		if (range != r.range) {
			add_run(&of->sums, &r);
			r = (run){ .range = range };
		}
		r.kernels++;
		r.ns = ns_add(r.ns, ival_within(&s->w->gpu, work->start[i], work->end[i]));
	}
	add_run(&of->sums, &r);
}

/* Ranges nest: what is in a range is in all of its parents, so each range adds its time to its parent's.  A parent's
 * index is below its children's, so going backwards every range is complete when its turn comes. */
static void add_to_parents(void *ctx, size_t thread)
{
	range_time *x = ctx;
	const uint32_t *parent = x->a->parent;
	size_t first = x->a->first[thread], end = x->a->first[thread + 1];

	if (first < end)
		memcpy(&x->incl[first], &x->self[first], (end - first) * sizeof *x->incl);
	for (size_t i = end; i-- > first;)
		if (parent[i] != NONE)
			x->incl[parent[i]] = ns_add(x->incl[parent[i]], x->incl[i]);
}

static void sum_work(summing *s)
{
	range_time *x = s->x;

	par_do(s->n < STRETCH ? PAR_ALONE : x->a->t->workers, s->work.n, sum_stretch, s);
	for (size_t i = 0; i < s->work.n; i++) {
		const range_time *of = &s->work.v[i].sums;
		x->total_ns = ns_add(x->total_ns, of->total_ns);
		x->none_ns = ns_add(x->none_ns, of->none_ns);
		x->none_kernels += of->none_kernels;
	}
	par_do(x->a->t->workers, x->a->t->nthreads, add_to_parents, x);
}

static void add_around(void *ctx, const replay *r)
{
	range_time *x = ctx;
	around_walk w = around_work(x->a, r->first);

	add_run(x, &(run){ w.range, r->kernels, r->ns });
	for (; w.range != NONE; around_next(x->a, &w)) {
		if (x->sparse)
			vec_push(&x->touched, w.range);
		x->incl[w.range] = ns_add(x->incl[w.range], r->ns);
	}
}

void range_time_window(range_time *x, const window *w)
{
	summing s = { .x = x, .w = w };

	clear(x);
	s.n = work_in(x->a->t, w, &s.work);
	x->sparse = s.n < x->a->t->pushpop.n / 8;
	if (x->sparse || !x->nested)
		each_replay(x->a, w, add_around, x);
	else
		sum_work(&s);
	vec_free(&s.work);
}

typedef struct {
	const around *a;
	const uint32_t *label;
	int64_t *sum;
	size_t *seen;           /* by label: the work added last, plus one */
} label_ctx;

static void add_label(void *ctx, const replay *r)
{
	label_ctx *c = ctx;

	for (around_walk w = around_work(c->a, r->first); w.range != NONE; around_next(c->a, &w)) {
		uint32_t l = c->label[w.range];
		if (l != NONE && c->seen[l] != r->first + 1) {
			c->seen[l] = r->first + 1;
			c->sum[l] = ns_add(c->sum[l], r->ns);
		}
	}
}

/* If ranges nest, the outermost ranges with a label contain all that was launched inside any range with it: go through
 * the ranges with the parents of the current one as a stack, and count the open ones by label. */
static void add_outermost(const range_time *x, const uint32_t *label, size_t *open, int64_t *sum)
{
	const uint32_t *parent = x->a->parent;
	uint32_t top = NONE;

	for (size_t i = 0; i < x->a->t->pushpop.n; i++) {
		while (top != NONE && top != parent[i]) {
			if (label[top] != NONE)
				open[label[top]]--;
			top = parent[top];
		}
		if (label[i] != NONE && open[label[i]]++ == 0)
			sum[label[i]] = ns_add(sum[label[i]], x->incl[i]);
		top = (uint32_t)i;
	}
}

/* ---- by label */

typedef struct {
	const label_time *by;
	const window *w;
	stats *cpu;
	label_sums *sums;
} sum_ctx;

static void add_cpu(sum_ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	const trace *t = c->by->a->t;

	if (label == NONE || !window_has(c->w, &c->w->cpu, r->start[i], r->end[i]) ||
	    (c->w->proc != NONE && t->threads[r->thread[i]].proc != c->w->proc))
		return;
	stats_add(c->cpu, label, ival_within(&c->w->cpu, r->start[i], r->end[i]));
}

/* Is there a range of the same label around it? */
static bool is_inner(const label_time *by, size_t i)
{
	const trace_ranges *r = &by->a->t->pushpop;

	for (uint32_t up = by->a->parent[i]; up != NONE; up = by->a->parent[up])
		if (by->label[up] == by->label[i] && r->end[up] > r->start[i])
			return true;
	return false;
}

static void add_range(void *ctx, size_t i)
{
	sum_ctx *c = ctx;

	if (!c->by->outermost || !is_inner(c->by, i))
		add_cpu(c, &c->by->a->t->pushpop, i, c->by->label[i]);
}

static void add_work(void *ctx, size_t work, int64_t ns)
{
	sum_ctx *c = ctx;
	const label_time *by = c->by;
	label_sums *s = c->sums;
	uint32_t range = around_work(by->a, work).range, label = range == NONE ? by->none : by->label[range];

	if (by->of_rule) {
		uint32_t rule = labels_by_rule(by->rules_of, work);
		label = rule == STR_NONE ? by->none : by->of_rule[rule];
	}
	if (by->of_work)
		label = by->of_work[work];
	s->total_ns = ns_add(s->total_ns, ns);
	s->unranged_ns = ns_add(s->unranged_ns, range == NONE ? ns : 0);
	if (label == NONE)
		return;
	s->kernels[label]++;
	s->self[label] = ns_add(s->self[label], ns);
}

typedef struct {                /* the ranges that start in the window, in stretches */
	const label_time *by;
	const window *w;
	vec(size_t) first, end;
	stats *cpu;             /* by stretch */
} adding;

static void add_stretch(void *ctx, size_t which)
{
	const adding *a = ctx;
	sum_ctx c = { .by = a->by, .w = a->w, .cpu = &a->cpu[which] };

	stats_reserve(c.cpu, a->end.v[which] - a->first.v[which]);
	for (size_t i = a->first.v[which]; i < a->end.v[which]; i++)
		add_range(&c, i);
}

/* A stretch has more ranges than there are labels, each of which every stretch counts. */
static void find_stretches(adding *a, uint32_t thread, ival hull)
{
	const around *r = a->by->a;
	const int64_t *start = r->t->pushpop.start;
	size_t lo, hi, most = a->by->nlabels > STRETCH ? a->by->nlabels : STRETCH;

	search_first(lo, r->first[thread], r->first[thread + 1], start[lo] >= hull.a);
	search_first(hi, lo, r->first[thread + 1], start[hi] >= hull.b);
	for (; lo < hi; lo = a->end.v[a->end.n - 1]) {
		vec_push(&a->first, lo);
		vec_push(&a->end, hi - lo < most ? hi : lo + most);
	}
}

label_sums label_time_ranges(const label_time *by, const window *w)
{
	const trace *t = by->a->t;
	adding a = { .by = by, .w = w };
	uint32_t end, first = trace_threads(t, w->proc, &end);
	ival hull = window_hull(&w->cpu);
	label_sums sums = { 0 };
	sum_ctx c = { .by = by, .w = w };

	for (uint32_t th = first; th < end; th++)
		find_stretches(&a, th, hull);
	a.cpu = mem_new(stats, a.first.n + 1);
	c.cpu = &a.cpu[a.first.n];
	par_do(t->workers, a.first.n, add_stretch, &a);
	for (uint32_t th = first; th < end; th++)       /* those that are open when it begins */
		around_each_of(by->a, th, (ival){ hull.a, hull.a }, add_range, &c);
	for (size_t i = 0; i < t->startend.n; i++)
		add_cpu(&c, &t->startend, i, by->se_label[i]);
	sums.cpu = stats_finish_parts(a.cpu, NULL, a.first.n + 1, by->nlabels, t->workers);
	sums.kernels = mem_new(int64_t, by->nlabels);
	sums.self = mem_new(int64_t, by->nlabels);
	vec_free(&a.first);
	vec_free(&a.end);
	free(a.cpu);
	return sums;
}

void label_time_work(const label_time *by, const window *w, label_sums *to)
{
	range_time_each(by->a, w, add_work, &(sum_ctx){ .by = by, .w = w, .sums = to });
}

void label_time_from(const label_time *by, const window *w, const range_time *by_range, label_sums *to)
{
	size_t *by_label = mem_new(size_t, by->nlabels);

	to->incl = mem_new(int64_t, by->nlabels);
	if (by_range->sparse || !by_range->nested)
		each_replay(by->a, w, add_label, &(label_ctx){ by->a, by->label, to->incl, by_label });
	else
		add_outermost(by_range, by->label, by_label, to->incl);
	free(by_label);
	if (by_range->sparse || by->of_rule) {
		label_time_work(by, w, to);
		return;
	}
	for (size_t i = 0; i < by->a->t->pushpop.n; i++)
		if (by->label[i] != NONE && by_range->kernels[i]) {
			to->kernels[by->label[i]] += by_range->kernels[i];
			to->self[by->label[i]] = ns_add(to->self[by->label[i]], by_range->self[i]);
		}
	to->total_ns = by_range->total_ns;
	to->unranged_ns = by_range->none_ns;
	if (by->none != NONE) {
		to->kernels[by->none] += by_range->none_kernels;
		to->self[by->none] = ns_add(to->self[by->none], by_range->none_ns);
	}
}

void label_sums_free(label_sums *s)
{
	mem_free(s->cpu, s->kernels, s->self, s->incl);
	*s = (label_sums){ 0 };
}
