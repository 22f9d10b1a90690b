#include "launch/label_time.h"
#include "base/parallel.h"
#include "base/search.h"
#include "timeline/touching.h"

#include <string.h>

enum { STRETCH = 1 << 15 };     /* of work or of ranges that a thread takes at a time */

/* ---- by range */

void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { 0 };

	while (window_next(a->t, w, &k))
		if (work->kind[k.work] <= WORK_GRAPH)
			f(ctx, k.work, ival_within(&w->gpu, work->start[k.work], work_end(work, k.work)));
}

typedef struct {                /* kernels that one call launched, one after the other */
	size_t first;
	int64_t kernels, ns;
} replay;

/* Kernels that one call launched are in the same ranges, and those of a CUDA graph are many: as range_time_each, but of
 * all of them at once, from one piece of all work to another. */
static void each_replay(const around *a, const window *w, size_t from, size_t to,
			void (*f)(void *ctx, const replay *r), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { .from = from, .to = to };
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
		r.ns = ns_add(r.ns, ival_within(&w->gpu, work->start[k.work], work_end(work, k.work)));
	}
	if (r.kernels)
		f(ctx, &r);
}

range_time *range_time_open(const around *a)
{
	range_time *x = mem_new(range_time, 1);
	size_t ranges = a->t->pushpop.n;

	x->a = a;
	x->kernels = mem_new(uint32_t, ranges);
	x->self = mem_new(int64_t, ranges);
	x->incl = mem_new(int64_t, ranges);
	x->nested = !a->cross && !a->main && !a->captured;
	x->sparse = true;
	return x;
}

void range_time_close(range_time *x)
{
	mem_free(x->kernels, x->self, x->incl, x->touched.v, x);
}

/* incl: does the next window add to that of a range, instead of setting it? */
static void clear(range_time *x, bool incl)
{
	size_t ranges = x->a->t->pushpop.n;

	if (x->sparse) {
		for (size_t i = 0; i < x->touched.n; i++) {
			uint32_t r = x->touched.v[i];
			x->kernels[r] = 0;
			x->self[r] = x->incl[r] = 0;
		}
	} else {
		memset(x->kernels, 0, ranges * sizeof *x->kernels);
		memset(x->self, 0, ranges * sizeof *x->self);
		if (incl)
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

/* The work that can be in the window (to NULL: nobody asks); how much that is. */
static size_t work_in(trace *t, const window *w, stretches *to)
{
	size_t n = 0;

	for (window_walk k = { 0 }; window_more(t, w, &k); n += k.end - k.next)
		for (size_t i = k.next; to && i < k.end; i += STRETCH)
			vec_push(to, (stretch){ .first = i, .end = k.end - i < STRETCH ? k.end : i + STRETCH });
	return n;
}

typedef struct {
	range_time *x;
	const window *w;
	stretches work;
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
		__atomic_fetch_add(&x->kernels[r->range], (uint32_t)r->kernels, __ATOMIC_RELAXED);
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
	uint32_t call = NONE;
	run r = { .range = NONE };

	of->sums = *s->x;
	for (size_t i = of->first; i < of->end; i++) {
		int64_t ns = window_length(s->w, &s->w->gpu, work->start[i], work_end(work, i));
		if (work->kind[i] > WORK_GRAPH || ns < 0)
			continue;
		if (work->launch[i] != call) {
			uint32_t range = around_inner(a, call = work->launch[i]);      /* none is adopted or captured */
			if (range != r.range) {
				add_run(&of->sums, &r);
				r = (run){ .range = range };
			}
		}
		r.kernels++;
		r.ns = ns_add(r.ns, ns);
	}
	add_run(&of->sums, &r);
}

/* The work in no range and in any, and that of each range's own. */
static void sum_own(range_time *x, const window *w)
{
	summing s = { .x = x, .w = w };
	size_t n = work_in(x->a->t, w, &s.work);

	par_do(n < STRETCH ? PAR_ALONE : x->a->t->workers, s.work.n, sum_stretch, &s);
	for (size_t i = 0; i < s.work.n; i++) {
		const range_time *of = &s.work.v[i].sums;
		x->total_ns = ns_add(x->total_ns, of->total_ns);
		x->none_ns = ns_add(x->none_ns, of->none_ns);
		x->none_kernels += of->none_kernels;
	}
	vec_free(&s.work);
}

/* Of ranges [first,end), all those of some threads, the time of what was launched anywhere inside each.  Ranges nest:
 * what is in a range is in all of its parents, so each range adds its time to its parent's.  A parent's index is below
 * its children's, so going backwards every range is complete when its turn comes. */
static void add_to_parents(const range_time *x, size_t first, size_t end, int64_t *incl)
{
	const uint32_t *parent = x->a->parent;

	if (first < end)
		memcpy(incl, &x->self[first], (end - first) * sizeof *incl);
	for (size_t i = end; i-- > first;)
		if (parent[i] != NONE)
			incl[parent[i] - first] = ns_add(incl[parent[i] - first], incl[i - first]);
}

static void add_thread(void *ctx, size_t thread)
{
	range_time *x = ctx;
	size_t first = x->a->first[thread];

	add_to_parents(x, first, x->a->first[thread + 1], &x->incl[first]);
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

/* Is so little work in the window that its ranges are gone through one by one? */
static bool is_sparse(const range_time *x, size_t n)
{
	return n < x->a->t->pushpop.n / 8;
}

void range_time_window(range_time *x, const window *w)
{
	bool sparse = is_sparse(x, work_in(x->a->t, w, NULL)), each = sparse || !x->nested;

	clear(x, each);
	x->sparse = sparse;
	if (each) {
		each_replay(x->a, w, 0, x->a->t->work.n, add_around, x);
	} else {
		sum_own(x, w);
		par_do(x->a->t->workers, x->a->t->nthreads, add_thread, x);
	}
}

/* ---- by label */

typedef struct {
	const label_time *by;
	const window *w;
	stats *cpu;
	label_sums *sums;
	size_t *seen;           /* by label: the work that was added last, plus one */
} sum_ctx;

static inline void add_cpu(const sum_ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	int64_t ns = window_length(c->w, &c->w->cpu, r->start[i], r->end[i]);

	if (label != NONE && ns >= 0)
		stats_add(c->cpu, label, ns);
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

/* Kernels that one call launched; returns their innermost range. */
static around_walk add_kernels(const sum_ctx *c, const replay *r)
{
	const label_time *by = c->by;
	label_sums *s = c->sums;
	around_walk w = around_work(by->a, r->first);
	uint32_t label = w.range == NONE ? by->none : by->label[w.range];

	if (by->of_rule) {
		uint32_t rule = labels_by_rule(by->rules_of, r->first);
		label = rule == STR_NONE ? by->none : by->of_rule[rule];
	}
	if (by->of_work)
		label = by->of_work[r->first];
	s->total_ns = ns_add(s->total_ns, r->ns);
	s->unranged_ns = ns_add(s->unranged_ns, w.range == NONE ? r->ns : 0);
	if (label != NONE) {
		s->kernels[label] += r->kernels;
		s->self[label] = ns_add(s->self[label], r->ns);
	}
	return w;
}

static void add_work(void *ctx, size_t work, int64_t ns)
{
	add_kernels(ctx, &(replay){ work, 1, ns });
}

static void add_replay(void *ctx, const replay *r)
{
	const sum_ctx *c = ctx;

	for (around_walk w = add_kernels(c, r); w.range != NONE; around_next(c->by->a, &w)) {
		uint32_t l = c->by->label[w.range];
		if (l != NONE && c->seen[l] != r->first + 1) {
			c->seen[l] = r->first + 1;
			c->sums->incl[l] = ns_add(c->sums->incl[l], r->ns);
		}
	}
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

void label_time_ranges(const label_time *by, const window *w, label_sums *to)
{
	const trace *t = by->a->t;
	adding a = { .by = by, .w = w };
	uint32_t end, first = trace_threads(t, w->proc, &end);
	ival hull = window_hull(&w->cpu);
	sum_ctx c = { .by = by, .w = w };
	touched in = { 0 };

	for (uint32_t i = first; i < end; i++)
		find_stretches(&a, i, hull);
	a.cpu = mem_new(stats, a.first.n + 1);
	c.cpu = &a.cpu[a.first.n];
	par_do(t->workers, a.first.n, add_stretch, &a);
	for (uint32_t i = first; i < end; i++)  /* those that are open when it begins */
		around_each_of(by->a, i, (ival){ hull.a, hull.a }, add_range, &c);
	touching_in(touching_startend(by->a->t), hull, &in);
	for (size_t k = 0; k < in.n; k++) {
		uint32_t i = in.v[k];
		if (ranges_thread(&t->startend, i) >= first && ranges_thread(&t->startend, i) < end)
			add_cpu(&c, &t->startend, i, by->se_label[i]);
	}
	to->cpu = stats_finish_parts(a.cpu, NULL, a.first.n + 1, by->nlabels, t->workers);
	mem_free(a.first.v, a.end.v, a.cpu, in.v);
}

static void begin(const label_time *by, label_sums *to, bool incl)
{
	to->kernels = mem_new(int64_t, by->nlabels);
	to->self = mem_new(int64_t, by->nlabels);
	to->incl = incl ? mem_new(int64_t, by->nlabels) : NULL;
}

void label_time_work(const label_time *by, const window *w, label_sums *to)
{
	begin(by, to, false);
	range_time_each(by->a, w, add_work, &(sum_ctx){ .by = by, .w = w, .sums = to });
}

typedef struct {                /* what calls launched, in stretches of all work */
	const label_time *by;
	const window *w;
	label_sums *sums;       /* by stretch */
	size_t n;
} replaying;

static void add_replays(void *ctx, size_t which)
{
	const replaying *r = ctx;
	size_t all = r->by->a->t->work.n;
	sum_ctx c = { .by = r->by, .w = r->w, .sums = &r->sums[which], .seen = mem_new(size_t, r->by->nlabels) };

	begin(r->by, c.sums, true);
	each_replay(r->by->a, r->w, all * which / r->n, all * (which + 1) / r->n, add_replay, &c);
	free(c.seen);
}

/* Add up what was found in each stretch, and free that. */
static void add_stretches(const label_time *by, label_sums *of, size_t n, label_sums *to)
{
	for (size_t s = 0; s < n; s++) {
		to->total_ns = ns_add(to->total_ns, of[s].total_ns);
		to->unranged_ns = ns_add(to->unranged_ns, of[s].unranged_ns);
		for (size_t i = 0; i < by->nlabels; i++) {
			to->kernels[i] += of[s].kernels[i];
			to->self[i] = ns_add(to->self[i], of[s].self[i]);
			to->incl[i] = ns_add(to->incl[i], of[s].incl[i]);
		}
		label_sums_free(&of[s]);
	}
	free(of);
}

void label_sums_free(label_sums *s)
{
	mem_free(s->cpu, s->kernels, s->self, s->incl);
	*s = (label_sums){ 0 };
}

typedef struct {
	const label_time *by;
	const range_time *time;
	vec(size_t) end;        /* by stretch of ranges, all those of some threads: where it ends */
	label_sums *sums;       /* by stretch */
} joining;

/* Where ranges nest, the outermost ranges with a label contain all that was launched inside any range with it: go
 * through the ranges with the parents of the current one as a stack, and count the open ones by label. */
static void join_stretch(void *ctx, size_t which)
{
	const joining *j = ctx;
	const range_time *x = j->time;
	const uint32_t *parent = x->a->parent, *label = j->by->label;
	size_t first = which ? j->end.v[which - 1] : 0, end = j->end.v[which];
	size_t *open = mem_new(size_t, j->by->nlabels);
	int64_t *incl = mem_grow(NULL, end - first, sizeof *incl);
	label_sums *s = &j->sums[which];
	uint32_t top = NONE;

	begin(j->by, s, true);
	add_to_parents(x, first, end, incl);
	for (size_t i = first; i < end; i++) {
		uint32_t l = label[i];
		for (; top != NONE && top != parent[i]; top = parent[top])
			if (label[top] != NONE)
				open[label[top]]--;
		top = (uint32_t)i;
		if (l == NONE)
			continue;
		s->kernels[l] += x->kernels[i];
		s->self[l] = ns_add(s->self[l], x->self[i]);
		if (open[l]++ == 0)
			s->incl[l] = ns_add(s->incl[l], incl[i - first]);
	}
	mem_free(open, incl);
}

/* From the sums of each range: where ranges nest, the work is gone through once, and without what is around it.  Each
 * stretch counts every label. */
static void add_ranges(const label_time *by, const range_time *time, label_sums *to)
{
	const around *a = by->a;
	joining j = { .by = by, .time = time };
	size_t least = by->nlabels > STRETCH ? by->nlabels : STRETCH, n = 0;

	for (size_t th = 0; th < a->t->nthreads; th++)
		if (a->first[th + 1] - n >= least || th + 1 == a->t->nthreads) {
			n = a->first[th + 1];
			vec_push(&j.end, n);
		}
	j.sums = mem_new(label_sums, j.end.n);
	par_do(a->t->workers, j.end.n, join_stretch, &j);
	add_stretches(by, j.sums, j.end.n, to);
	vec_free(&j.end);
	to->total_ns = time->total_ns;
	to->unranged_ns = time->none_ns;
	if (by->none != NONE) {
		to->kernels[by->none] += time->none_kernels;
		to->self[by->none] = ns_add(to->self[by->none], time->none_ns);
	}
}

/* Each stretch counts every label, and rules are asked by one thread. */
static size_t replay_stretches(const label_time *by, size_t n)
{
	enum { MANY = 4 };      /* for each thread */
	const trace *t = by->a->t;
	size_t most = t->work.n / (by->nlabels + 1) + 1, all = MANY * par_stretches(t->workers);

	return t->workers.n == 1 || n < STRETCH || by->of_rule ? 1 : all < most ? all : most;
}

bool label_time_is_sparse(const label_time *by, const window *w, const range_time *time)
{
	return !time->nested || is_sparse(time, work_in(by->a->t, w, NULL)) || by->of_rule;
}

void label_time_around(const label_time *by, const window *w, range_time *time, label_sums *to)
{
	size_t n = work_in(by->a->t, w, NULL);
	replaying r = { .by = by, .w = w, .n = replay_stretches(by, n) };

	begin(by, to, true);
	if (!label_time_is_sparse(by, w, time)) {
		clear(time, false);
		time->sparse = false;
		sum_own(time, w);
		add_ranges(by, time, to);
		return;
	}
	r.sums = mem_new(label_sums, r.n);
	par_do(by->a->t->workers, r.n, add_replays, &r);
	add_stretches(by, r.sums, r.n, to);
}
