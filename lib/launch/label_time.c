#include "launch/label_time.h"
#include "timeline/overlap_index.h"

#include <string.h>

/* ---- by range */

void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { 0 };

	while (window_next(a->t, w, &k))
		if (work->kind[k.work] <= WORK_GRAPH)
			f(ctx, k.work, ival_within(&w->gpu, work->start[k.work], work->end[k.work]));
}

typedef struct {                /* consecutive kernels and graphs of one call */
	size_t first;           /* the first of them */
	int64_t kernels, ns;    /* their number, and their ns in the window */
} batch;

/* Like range_time_each, but calls f once for consecutive kernels of one call.  A CUDA graph launches many kernels,
 * which are all in the same ranges; but if ranges around captures count, each kernel is a batch of its own. */
static void label_time_each_batch(const around *a, const window *w, void (*f)(void *ctx, const batch *r), void *ctx)
{
	const trace_work *work = &a->t->work;
	window_walk k = { 0 };
	batch r = { 0 };

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

/* Sets the sums of ranges to 0.  incl false: range_time.incl may keep its numbers, because label_time_add_to_parents
 * will overwrite them all. */
static void label_time_clear_ranges(range_time *x, bool incl)
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

/* An upper bound of the number of pieces of work in the window. */
static size_t label_time_count_work(const trace *t, const window *w)
{
	size_t n = 0;

	for (window_walk k = { 0 }; window_walk_to_stretch(t, w, &k);)
		n += k.end - k.next;
	return n;
}

static void label_time_add_to_range(range_time *x, uint32_t range, const batch *r)
{
	x->total_ns = ns_add(x->total_ns, r->ns);
	if (range == NONE) {
		x->none_ns = ns_add(x->none_ns, r->ns);
		x->none_kernels += r->kernels;
	} else {
		x->self[range] = ns_add(x->self[range], r->ns);
		x->kernels[range] += (uint32_t)r->kernels;
	}
}

/* Adds a batch to its innermost range.  Only for nested ranges, none of which is adopted or captured. */
static void label_time_add_to_own_range(void *ctx, const batch *r)
{
	range_time *x = ctx;

	label_time_add_to_range(x, around_inner(x->a, x->a->t->work.launch[r->first]), r);
}

/* Adds up what was launched anywhere inside each range, if ranges nest: each range adds its time to its parent.  A
 * parent has a lower index than its children.  So this goes backwards, and each range is complete when its turn
 * comes. */
static void label_time_add_to_parents(range_time *x)
{
	const uint32_t *parent = x->a->parent;
	size_t n = x->a->t->pushpop.n;

	if (n)
		memcpy(x->incl, x->self, n * sizeof *x->incl);
	for (size_t i = n; i-- > 0;)
		if (parent[i] != NONE)
			x->incl[parent[i]] = ns_add(x->incl[parent[i]], x->incl[i]);
}

static void label_time_add_to_ranges_around(void *ctx, const batch *r)
{
	range_time *x = ctx;
	around_walk w = around_work(x->a, r->first);

	label_time_add_to_range(x, w.range, r);
	for (; w.range != NONE; around_next(x->a, &w)) {
		if (x->sparse)
			vec_push(&x->touched, w.range);
		x->incl[w.range] = ns_add(x->incl[w.range], r->ns);
	}
}

/* Is a number of pieces of work so small that the ranges around each piece are visited one by one? */
static bool label_time_has_little_work(const range_time *x, size_t n)
{
	return n < x->a->t->pushpop.n / 8;
}

void range_time_sum_window(range_time *x, const window *w)
{
	bool sparse = label_time_has_little_work(x, label_time_count_work(x->a->t, w)), each = sparse || !x->nested;

	label_time_clear_ranges(x, each);
	x->sparse = sparse;
	if (each) {
		label_time_each_batch(x->a, w, label_time_add_to_ranges_around, x);
	} else {
		label_time_each_batch(x->a, w, label_time_add_to_own_range, x);
		label_time_add_to_parents(x);
	}
}

/* ---- by label */

typedef struct {
	const label_time *by;
	const window *w;
	stats cpu;
	label_sums *sums;
	size_t *seen;           /* by label: 1 + the first work of the batch that was last added to `incl` of the
				 * label */
} sum_ctx;

static inline void label_time_add_cpu_time(sum_ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	int64_t ns = window_measure_event(c->w, &c->w->cpu, r->start[i], r->end[i]);

	if (label != NONE && ns >= 0)
		stats_add(&c->cpu, label, ns);
}

/* Is there a range of the same label around this one? */
static bool label_time_has_same_label_around(const label_time *by, size_t i)
{
	const trace_ranges *r = &by->a->t->pushpop;

	for (uint32_t up = by->a->parent[i]; up != NONE; up = by->a->parent[up])
		if (by->label[up] == by->label[i] && r->end[up] > r->start[i])
			return true;
	return false;
}

static void label_time_add_range(void *ctx, size_t i)
{
	sum_ctx *c = ctx;

	if (!c->by->outermost || !label_time_has_same_label_around(c->by, i))
		label_time_add_cpu_time(c, &c->by->a->t->pushpop, i, c->by->label[i]);
}

/* Adds a batch to the sums of its label.  Returns the walk that begins at its innermost range. */
static around_walk label_time_add_kernels(const sum_ctx *c, const batch *r)
{
	const label_time *by = c->by;
	label_sums *s = c->sums;
	around_walk w = around_work(by->a, r->first);
	uint32_t label = w.range == NONE ? by->none : by->label[w.range];

	if (by->of_rule) {
		uint32_t rule = labels_of_work_by_rules(by->rules_of, r->first);
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

static void label_time_add_work(void *ctx, size_t work, int64_t ns)
{
	label_time_add_kernels(ctx, &(batch){ work, 1, ns });
}

static void label_time_add_batch(void *ctx, const batch *r)
{
	const sum_ctx *c = ctx;

	for (around_walk w = label_time_add_kernels(c, r); w.range != NONE; around_next(c->by->a, &w)) {
		uint32_t l = c->by->label[w.range];
		if (l != NONE && c->seen[l] != r->first + 1) {
			c->seen[l] = r->first + 1;
			c->sums->incl[l] = ns_add(c->sums->incl[l], r->ns);
		}
	}
}

void label_time_ranges(const label_time *by, const window *w, label_sums *to)
{
	const trace *t = by->a->t;
	uint32_t end, first = trace_find_threads(t, w->proc, &end);
	ival hull = window_hull(&w->cpu);
	sum_ctx c = { .by = by, .w = w };
	overlap_hits in = { 0 };

	around_each(by->a, w->proc, hull, label_time_add_range, &c);
	overlap_index_find(overlap_index_of_startend(by->a->t), hull, &in);
	for (size_t k = 0; k < in.n; k++) {
		uint32_t i = in.v[k];
		if (ranges_thread(&t->startend, i) >= first && ranges_thread(&t->startend, i) < end)
			label_time_add_cpu_time(&c, &t->startend, i, by->se_label[i]);
	}
	to->cpu = stats_finish(&c.cpu, by->nlabels);
	vec_free(&in);
}

static void label_time_make_sums(const label_time *by, label_sums *to, bool incl)
{
	to->kernels = mem_new(int64_t, by->nlabels);
	to->self = mem_new(int64_t, by->nlabels);
	to->incl = incl ? mem_new(int64_t, by->nlabels) : NULL;
}

void label_time_work(const label_time *by, const window *w, label_sums *to)
{
	label_time_make_sums(by, to, false);
	range_time_each(by->a, w, label_time_add_work, &(sum_ctx){ .by = by, .w = w, .sums = to });
}

void label_sums_free(label_sums *s)
{
	mem_free(s->cpu, s->kernels, s->self, s->incl);
	*s = (label_sums){ 0 };
}

/* Adds the sums of ranges to the sums of labels, if ranges nest.  This takes one pass over the ranges.  If nested
 * ranges have the same label, `incl` of the outermost already contains that of the others, so only the outermost is
 * added.  To know which is outermost, this counts the open ranges of each label.  `top` and its parents are the stack
 * of open ranges. */
static void label_time_add_ranges(const label_time *by, const range_time *x, label_sums *to)
{
	const uint32_t *parent = x->a->parent, *label = by->label;
	size_t *open = mem_new(size_t, by->nlabels);
	uint32_t top = NONE;

	for (size_t i = 0; i < x->a->t->pushpop.n; i++) {
		uint32_t l = label[i];
		for (; top != NONE && top != parent[i]; top = parent[top])
			if (label[top] != NONE)
				open[label[top]]--;
		top = (uint32_t)i;
		if (l == NONE)
			continue;
		to->kernels[l] += x->kernels[i];
		to->self[l] = ns_add(to->self[l], x->self[i]);
		if (open[l]++ == 0)
			to->incl[l] = ns_add(to->incl[l], x->incl[i]);
	}
	free(open);
	to->total_ns = x->total_ns;
	to->unranged_ns = x->none_ns;
	if (by->none != NONE) {
		to->kernels[by->none] += x->none_kernels;
		to->self[by->none] = ns_add(to->self[by->none], x->none_ns);
	}
}

bool label_time_is_sparse(const label_time *by, const window *w, const range_time *time)
{
	return !time->nested || label_time_has_little_work(time, label_time_count_work(by->a->t, w)) || by->of_rule;
}

void label_time_around(const label_time *by, const window *w, range_time *time, label_sums *to)
{
	sum_ctx c = { .by = by, .w = w, .sums = to };

	label_time_make_sums(by, to, true);
	if (label_time_is_sparse(by, w, time)) {
		c.seen = mem_new(size_t, by->nlabels);
		label_time_each_batch(by->a, w, label_time_add_batch, &c);
		free(c.seen);
	} else {
		range_time_sum_window(time, w);
		label_time_add_ranges(by, time, to);
	}
}
