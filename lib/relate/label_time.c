#include "relate/label_time.h"

typedef struct {
	const annot *a;
	window *w;
	stats cpu;
	annot_sums sums;
} ctx;

static void add_cpu(ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	const trace *t = c->a->n->t;

	if (label == NONE || !window_has(&c->w->cpu, r->start[i], r->end[i]) ||
	    (c->w->proc != NONE && t->threads[r->thread[i]].proc != c->w->proc))
		return;
	stats_add(&c->cpu, label, ival_within(&c->w->cpu, r->start[i], r->end[i]));
}

/* Is a range of the same label around it? */
static bool is_inner(const annot *a, size_t i)
{
	const trace_ranges *r = &a->n->t->pushpop;

	for (uint32_t up = a->n->parent[i]; up != NONE; up = a->n->parent[up])
		if (a->label[up] == a->label[i] && r->end[up] > r->start[i])
			return true;
	return false;
}

static void add_range(void *p, size_t i)
{
	ctx *c = p;

	if (!c->a->outermost || !is_inner(c->a, i))
		add_cpu(c, &c->a->n->t->pushpop, i, c->a->label[i]);
}

static void add_work(void *p, size_t work, int64_t ns)
{
	ctx *c = p;
	const annot *a = c->a;
	uint32_t range = nest_of(a->n, work).range, label = range == NONE ? a->none : a->label[range];

	if (a->of_rule) {
		uint32_t rule = nest_rule_label(a->n, work);
		label = rule == STR_NONE ? a->none : a->of_rule[rule];
	}
	c->sums.total_ns = ns_add(c->sums.total_ns, ns);
	c->sums.unranged_ns = ns_add(c->sums.unranged_ns, range == NONE ? ns : 0);
	if (label == NONE)
		return;
	c->sums.kernels[label]++;
	c->sums.self[label] = ns_add(c->sums.self[label], ns);
}

annot_sums annot_ranges(const annot *a, window *w)
{
	const trace_ranges *se = &a->n->t->startend;
	ctx c = { .a = a, .w = w };

	nest_each(a->n, window_hull(&w->cpu), add_range, &c);
	for (size_t i = 0; i < se->n; i++)
		add_cpu(&c, se, i, a->se_label[i]);
	c.sums.cpu = stats_finish(&c.cpu, a->nlabels, a->n->t->db->threads);
	c.sums.kernels = mem_new(int64_t, a->nlabels);
	c.sums.self = mem_new(int64_t, a->nlabels);
	return c.sums;
}

void annot_work(const annot *a, window *w, annot_sums *s)
{
	ctx c = { .a = a, .w = w, .sums = *s };

	account_each(a->n, w, add_work, &c);
	*s = c.sums;
}

void annot_accounted(const annot *a, window *w, const account *by_range, annot_sums *s)
{
	if (by_range->sparse || a->of_rule) {
		annot_work(a, w, s);
		return;
	}
	for (size_t i = 0; i < a->n->t->pushpop.n; i++)
		if (a->label[i] != NONE && by_range->kernels[i]) {
			s->kernels[a->label[i]] += by_range->kernels[i];
			s->self[a->label[i]] = ns_add(s->self[a->label[i]], by_range->self[i]);
		}
	s->total_ns = by_range->total_ns;
	s->unranged_ns = by_range->none_ns;
	if (a->none != NONE) {
		s->kernels[a->none] += by_range->none_kernels;
		s->self[a->none] = ns_add(s->self[a->none], by_range->none_ns);
	}
}

void annot_free(annot_sums *s)
{
	free(s->cpu);
	free(s->kernels);
	free(s->self);
}
