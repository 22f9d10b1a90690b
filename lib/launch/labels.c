#include "launch/labels.h"
#include "base/memory.h"

/* Values that stand for no label, besides STR_NONE (no rule matches). */
enum {
	UNKNOWN = UINT32_MAX - 1,       /* not looked up yet */
	MIXED = UINT32_MAX - 2          /* the label may differ between moments (labels_label_of_range) */
};

struct labels {
	const around *a;
	const rules *rules;
	vec(uint32_t) of_name;   /* by name: the label that the rules give it, or UNKNOWN */
	uint32_t *of_range;      /* by range: what labels_label_of_range has returned for it, or UNKNOWN */
};

/* Makes room in of_name for all names of the trace, to which labels_of_name may have added some. */
static void labels_make_room_for_names(labels *l)
{
	size_t n = l->a->t->names.n;

	vec_reserve(&l->of_name, n);
	while (l->of_name.n < n)
		l->of_name.v[l->of_name.n++] = UNKNOWN;
}

labels *labels_build(const around *a, const rules *r)
{
	labels *l = mem_new(labels, 1);
	size_t ranges = a->t->pushpop.n;

	l->a = a;
	l->rules = r;
	labels_make_room_for_names(l);
	l->of_range = mem_grow(NULL, ranges, sizeof *l->of_range);
	for (size_t i = 0; i < ranges; i++)
		l->of_range[i] = UNKNOWN;
	return l;
}

void labels_free(labels *l)
{
	mem_free(l->of_name.v, l->of_range, l);
}

uint32_t labels_of_name(labels *l, uint32_t name)
{
	str_pool *names = &l->a->t->names;

	if (name == STR_NONE)
		return STR_NONE;
	if (name >= l->of_name.n)
		labels_make_room_for_names(l);
	if (l->of_name.v[name] == UNKNOWN)
		l->of_name.v[name] = rules_label(l->rules, str_at(names, name), names);
	return l->of_name.v[name];
}

/*
 * Goes outwards from a range on its thread, to the first range whose name a rule matches, and returns its label;
 * STR_NONE: no rule matches.  The answer holds at all moments at which the range is open.  MIXED: it may depend on the
 * moment.
 *
 * Why it is sound to keep the answer by range.  Let own(R) be the label of R's name, and up the parent of R.  For
 * a moment m at which R is open, the true answer is own(R) or, if that is STR_NONE, the own label of
 * the first range further along R's chain of parents that is open at m and has one.  Claim: a kept answer
 * other than MIXED is the true one at every moment m at which R is open.  By induction along the chain:
 *
 * - own(R) is a label: R is open at m, so it is the answer.
 * - R has no parent: no other range is around it, the answer is STR_NONE.
 * - end[up] >= end[R]: start[up] <= start[R] <= m < end[R] <= end[up], so up is open at m too.  The true
 *   answers for R and up at m are the same, and what is kept for up is kept for R, MIXED included.  Equal
 *   starts and equal ends are covered by the <= in this line.
 * - end[up] < end[R], the ranges cross: up is open at some of R's moments only.  Nothing is claimed: MIXED.
 *
 * If the answer is MIXED, labels_of_work_by_rules looks up own(R).  If that is STR_NONE, it steps to the next range
 * that is open at m; the claim is then used for that range and the same m.
 *
 * labels_of_work_by_rules treats all ranges around the capture of a graph as if they were MIXED.  The walk skips those
 * that are also around the launch, and visits them later, among the ranges around the launch.  So
 * a kept answer could be wrong: it could be the label of a skipped range, and the walk may come to another range with a
 * label before that one.
 */
static uint32_t labels_label_of_range(labels *l, uint32_t range)
{
	const trace_ranges *r = &l->a->t->pushpop;
	const uint32_t *parent = l->a->parent;
	uint32_t at = range, label = UNKNOWN;

	while (label == UNKNOWN) {
		label = l->of_range[at];
		if (label == UNKNOWN) {
			uint32_t own = labels_of_name(l, r->name[at]), up = parent[at];
			if (own != STR_NONE || up == NONE)
				label = own;
			else if (r->end[up] < r->end[at])
				label = MIXED;
			else
				at = up;
		}
	}
	for (uint32_t i = range; l->of_range[i] == UNKNOWN; i = parent[i]) {
		l->of_range[i] = label;
		if (i == at)
			break;
	}
	return label;
}

uint32_t labels_of_work_by_rules(labels *l, size_t work)
{
	around_walk w = around_work(l->a, work);

	while (w.range != NONE) {
		uint32_t label = w.captured ? MIXED : labels_label_of_range(l, w.range);
		if (label == MIXED) {
			label = labels_of_name(l, l->a->t->pushpop.name[w.range]);
			if (label == STR_NONE) {
				around_next(l->a, &w);
				continue;
			}
		}
		if (label != STR_NONE)
			return label;
		around_next_thread(&w);       /* no rule matches on this thread */
	}
	return STR_NONE;
}

uint32_t labels_of_work(labels *l, size_t work)
{
	uint32_t label = labels_of_work_by_rules(l, work);

	return label == STR_NONE ? around_own_range_name(l->a, work) : label;
}
