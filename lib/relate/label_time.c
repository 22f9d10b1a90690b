#include "relate/label_time.h"

typedef struct {
	const label_time *by;
	const window *w;
	stats cpu;
	label_sums *sums;
} sum_ctx;

static void add_cpu(sum_ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	const trace *t = c->by->a->t;

	if (label == NONE || !window_has(c->w, &c->w->cpu, r->start[i], r->end[i]) ||
	    (c->w->proc != NONE && t->threads[r->thread[i]].proc != c->w->proc))
		return;
	stats_add(&c->cpu, label, ival_within(&c->w->cpu, r->start[i], r->end[i]));
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

label_sums label_time_ranges(const label_time *by, const window *w)
{
	const trace *t = by->a->t;
	sum_ctx c = { .by = by, .w = w };
	label_sums sums = { 0 };

	around_each(by->a, w->proc, window_hull(&w->cpu), add_range, &c);
	for (size_t i = 0; i < t->startend.n; i++)
		add_cpu(&c, &t->startend, i, by->se_label[i]);
	sums.cpu = stats_finish(&c.cpu, by->nlabels, t->workers);
	sums.kernels = mem_new(int64_t, by->nlabels);
	sums.self = mem_new(int64_t, by->nlabels);
	return sums;
}

void label_time_work(const label_time *by, const window *w, label_sums *to)
{
	range_time_each(by->a, w, add_work, &(sum_ctx){ .by = by, .w = w, .sums = to });
}

void label_time_from(const label_time *by, const window *w, const range_time *by_range, label_sums *to)
{
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
	mem_free(s->cpu, s->kernels, s->self);
	*s = (label_sums){ 0 };
}
