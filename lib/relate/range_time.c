#include "relate/range_time.h"

#include <string.h>

void account_each(const nest *n, window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx)
{
	const trace *t = n->t;

	for (size_t l = 0; l < t->nlanes; l++) {
		size_t lo, hi;
		if (!window_lane(w, &t->lanes[l]))
			continue;
		window_work(t, &t->lanes[l], &w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++)
			if (t->work.kind[i] <= WORK_GRAPH && window_has(&w->gpu, t->work.start[i], t->work.end[i]))
				f(ctx, i, ival_within(&w->gpu, t->work.start[i], t->work.end[i]));
	}
}

/* Ranges nest unless one of a domain crosses out of another's; those of several threads, which
 * adopting puts together, do not. */
static bool ranges_nest(const nest *n)
{
	const trace_ranges *r = &n->t->pushpop;

	for (size_t i = 0; i < r->n; i++)
		if (n->parent[i] != NONE && r->end[n->parent[i]] < r->end[i])
			return false;
	return !n->main;
}

account *account_open(const nest *n)
{
	account *a = mem_new(account, 1);
	size_t ranges = n->t->pushpop.n;

	a->n = n;
	a->kernels = mem_new(int64_t, ranges);
	a->self = mem_new(int64_t, ranges);
	a->incl = mem_new(int64_t, ranges);
	a->nested = ranges_nest(n);
	a->sparse = true;
	return a;
}

void account_close(account *a)
{
	free(a->kernels);
	free(a->self);
	free(a->incl);
	vec_free(&a->touched);
	free(a);
}

static void clear(account *a)
{
	size_t ranges = a->n->t->pushpop.n;

	if (a->sparse) {
		for (size_t i = 0; i < a->touched.n; i++) {
			uint32_t r = a->touched.v[i];
			a->kernels[r] = a->self[r] = a->incl[r] = 0;
		}
	} else {
		memset(a->kernels, 0, ranges * sizeof *a->kernels);
		memset(a->self, 0, ranges * sizeof *a->self);
		memset(a->incl, 0, ranges * sizeof *a->incl);
	}
	a->touched.n = 0;
	a->none_ns = a->none_kernels = a->total_ns = 0;
}

/* Pieces of work that the window can hold. */
static size_t work_in(const trace *t, const window *w)
{
	size_t n = 0;

	for (size_t l = 0; l < t->nlanes; l++) {
		size_t lo, hi;
		if (!window_lane(w, &t->lanes[l]))
			continue;
		window_work(t, &t->lanes[l], &w->gpu, &lo, &hi);
		n += hi - lo;
	}
	return n;
}

static void add_self(void *ctx, size_t work, int64_t ns)
{
	account *a = ctx;
	uint32_t r = nest_of(a->n, work).range;

	a->total_ns = ns_add(a->total_ns, ns);
	if (r == NONE) {
		a->none_ns = ns_add(a->none_ns, ns);
		a->none_kernels++;
	} else {
		if (a->sparse)
			vec_push(&a->touched, r);
		a->kernels[r]++;
		a->self[r] = ns_add(a->self[r], ns);
	}
}

static void add_around(void *ctx, size_t work, int64_t ns)
{
	account *a = ctx;

	for (nest_walk w = nest_of(a->n, work); w.range != NONE; nest_out(a->n, &w)) {
		if (a->sparse)
			vec_push(&a->touched, w.range);
		a->incl[w.range] = ns_add(a->incl[w.range], ns);
	}
}

void account_window(account *a, window *w)
{
	size_t ranges = a->n->t->pushpop.n;

	clear(a);
	a->sparse = work_in(a->n->t, w) < ranges / 8;
	account_each(a->n, w, add_self, a);
	if (a->sparse || !a->nested) {
		account_each(a->n, w, add_around, a);
		return;
	}
	memcpy(a->incl, a->self, ranges * sizeof *a->incl);
	for (size_t i = ranges; i-- > 0;)       /* inner ranges stand after those around them */
		if (a->n->parent[i] != NONE)
			a->incl[a->n->parent[i]] = ns_add(a->incl[a->n->parent[i]], a->incl[i]);
}

typedef struct {
	const nest *n;
	const uint32_t *label;
	int64_t *sum;
	size_t *seen;           /* by label: the work counted last, + 1 */
} label_ctx;

static void add_label(void *ctx, size_t work, int64_t ns)
{
	label_ctx *c = ctx;

	for (nest_walk w = nest_of(c->n, work); w.range != NONE; nest_out(c->n, &w)) {
		uint32_t l = c->label[w.range];
		if (l != NONE && c->seen[l] != work + 1) {
			c->seen[l] = work + 1;
			c->sum[l] = ns_add(c->sum[l], ns);
		}
	}
}

void account_by_label(const account *a, window *w, const uint32_t *label, size_t nlabels, int64_t *sum)
{
	const nest *n = a->n;
	size_t *open = mem_new(size_t, nlabels);
	uint32_t top = NONE;

	if (a->sparse || !a->nested) {
		label_ctx c = { n, label, sum, open };
		account_each(n, w, add_label, &c);
		free(open);
		return;
	}
	/* The outermost ranges of a label hold all there is inside any of them: count those open. */
	for (size_t i = 0; i < n->t->pushpop.n; i++) {
		while (top != NONE && top != n->parent[i]) {
			if (label[top] != NONE)
				open[label[top]]--;
			top = n->parent[top];
		}
		if (label[i] != NONE && open[label[i]]++ == 0)
			sum[label[i]] = ns_add(sum[label[i]], a->incl[i]);
		top = (uint32_t)i;
	}
	free(open);
}
