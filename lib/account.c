#include "account.h"
#include "mem.h"

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

typedef struct {
	const nest *n;
	account *a;
} self_ctx;

static void add_self(void *ctx, size_t work, int64_t ns)
{
	self_ctx *c = ctx;
	uint32_t r = nest_of(c->n, work).range;

	c->a->total_ns = ns_add(c->a->total_ns, ns);
	if (r == NONE) {
		c->a->none_kernels++;
		c->a->none_ns = ns_add(c->a->none_ns, ns);
	} else {
		c->a->kernels[r]++;
		c->a->self[r] = ns_add(c->a->self[r], ns);
	}
}

/* Do ranges nest, so that what is inside one is inside those around it?  Not when adopting, nor
 * where a range of one domain crosses out of another's. */
static bool nested(const nest *n)
{
	const trace_ranges *r = &n->t->pushpop;

	for (size_t i = 0; i < r->n; i++)
		if (n->parent[i] != NONE && r->end[n->parent[i]] < r->end[i])
			return false;
	return !n->main;
}

static void add_around(void *ctx, size_t work, int64_t ns)
{
	self_ctx *c = ctx;

	for (nest_walk w = nest_of(c->n, work); w.range != NONE; nest_out(c->n, &w))
		c->a->incl[w.range] = ns_add(c->a->incl[w.range], ns);
}

account account_build(const nest *n, window *w)
{
	size_t ranges = n->t->pushpop.n;
	account a = { mem_new(int64_t, ranges), mem_new(int64_t, ranges), mem_new(int64_t, ranges), 0, 0, 0 };
	self_ctx c = { n, &a };

	account_each(n, w, add_self, &c);
	if (!nested(n)) {
		account_each(n, w, add_around, &c);
		return a;
	}
	memcpy(a.incl, a.self, ranges * sizeof *a.incl);
	for (size_t i = ranges; i-- > 0;)       /* inner ranges stand after those around them */
		if (n->parent[i] != NONE)
			a.incl[n->parent[i]] = ns_add(a.incl[n->parent[i]], a.incl[i]);
	return a;
}

void account_free(account *a)
{
	free(a->kernels);
	free(a->self);
	free(a->incl);
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

void account_by_label(const nest *n, window *w, const account *a, const uint32_t *label, int64_t *sum)
{
	const trace_ranges *r = &n->t->pushpop;
	uint32_t top = NONE;
	size_t labels = 0, *open;

	for (size_t i = 0; i < r->n; i++)
		if (label[i] != NONE && label[i] >= labels)
			labels = label[i] + 1;
	open = mem_new(size_t, labels);
	if (!nested(n)) {
		label_ctx c = { n, label, sum, open };
		account_each(n, w, add_label, &c);
		free(open);
		return;
	}
	/* The outermost ranges of a label hold all there is inside any of them: count those open. */
	for (size_t i = 0; i < r->n; i++) {
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
