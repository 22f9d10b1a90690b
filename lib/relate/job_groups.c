#include "base/sort.h"
#include "relate/job_order_parts.h"

#include <math.h>

aligned job_groups_set(const ordering *o, uint32_t set)
{
	aligned s = { .v = mem_new(const line *, o->lines.n), .first = INT64_MAX, .end = INT64_MIN };
	bool *seen;

	for (size_t i = 0; i < o->lines.n; i++) {
		const line *l = &o->lines.v[i];
		if (l->set != set)
			continue;
		s.v[s.n++] = l;
		s.first = ns_min(l->number, s.first);
		s.end = ns_max(l->number + (int64_t)l->items.n, s.end);
	}
	s.class = mem_new(uint32_t, (size_t)(s.end - s.first));
	seen = mem_new(bool, (size_t)(s.end - s.first));
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < s.v[i]->items.n; k++) {
			size_t at = (size_t)(s.v[i]->number - s.first) + k;
			uint32_t class = s.v[i]->items.v[k].name;
			s.class[at] = !seen[at] || s.class[at] == class ? class : NONE;
			seen[at] = true;
		}
	free(seen);
	return s;
}

const job_item *job_groups_item(const line *l, int64_t number)
{
	int64_t k = number - l->number;

	return k >= 0 && k < (int64_t)l->items.n ? &l->items.v[k] : NULL;
}

size_t job_groups_base(const grouping *g, size_t i)
{
	return i / g->stride * g->size * g->stride + i % g->stride;
}

/* The group that a rank is in. */
static size_t group_at(const grouping *g, size_t rank)
{
	return rank / (g->size * g->stride) * g->stride + rank % g->stride;
}

static int64_t on_clock(const ordering *o, const line *l, int64_t moment)
{
	return ns_add(moment, o->clocks[l->trace].ahead);
}

meeting job_groups_meet(const ordering *o, const aligned *s, const grouping *g, size_t which, int64_t number)
{
	meeting m = { .last = INT64_MIN, .end = INT64_MAX };
	const size_t base = job_groups_base(g, which);

	for (size_t i = 0; i < g->size; i++) {
		const job_item *item = job_groups_item(s->v[base + i * g->stride], number);
		if (item)
			m.last = ns_max(m.last, on_clock(o, s->v[base + i * g->stride], item->start));
	}
	for (size_t i = 0; i < g->size; i++) {
		const line *l = s->v[base + i * g->stride];
		const job_item *item = job_groups_item(l, number);
		if (!item)
			continue;
		m.n++;
		m.end = ns_min(m.end, on_clock(o, l, item->end));
		m.mean += (double)ns_sub(on_clock(o, l, item->end), m.last);
	}
	m.mean /= m.n ? (double)m.n : 1;
	return m;
}

/* Are no two ranks of a group ever apart in a class? */
static bool fits(const ordering *o, const aligned *s, uint32_t class, const grouping *g)
{
	for (int64_t number = s->first; number < s->end; number++)
		for (size_t i = 0; s->class[number - s->first] == class && i < s->n / g->size; i++) {
			meeting m = job_groups_meet(o, s, g, i, number);
			if (m.n && m.last > m.end && ns_sub(m.last, m.end) > JOB_TOLERANCE)
				return false;
		}
	return true;
}

/* Are all the groups of one part of a group of the other? */
static bool is_within(const aligned *s, const grouping *small, const grouping *large)
{
	for (size_t i = 0; i < s->n; i++)
		if (group_at(large, i) != group_at(large, job_groups_base(small, group_at(small, i))))
			return false;
	return true;
}

static int by_size(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return sort_3way(*a, *b);
}

/* Take the lower median of n values off all of them. */
static void centre(double *v, size_t n, int64_t *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = (int64_t)v[i];
	qsort(room, n, sizeof *room, by_size);
	for (size_t i = 0; i < n; i++)
		v[i] -= (double)room[(n - 1) / 2];
}

/* How far apart neighbours in a group end, beyond what is so in half of the operations: the median. */
static double noise_of(const ordering *o, const aligned *s, uint32_t class, const grouping *g)
{
	size_t n = (size_t)(s->end - s->first), all = 0;
	int64_t *noise = mem_new(int64_t, s->n * n), *room = mem_new(int64_t, n);
	double *apart = mem_new(double, n), median;

	for (size_t i = 0; i + g->stride < s->n; i++) {
		const line *a = s->v[i], *b = s->v[i + g->stride];
		bool same = group_at(g, i) == group_at(g, i + g->stride);
		size_t k = 0;
		for (int64_t number = s->first; same && number < s->end; number++) {
			const job_item *x = job_groups_item(a, number), *y = job_groups_item(b, number);
			if (x && y && s->class[number - s->first] == class)
				apart[k++] = (double)ns_sub(on_clock(o, a, x->end), on_clock(o, b, y->end));
		}
		centre(apart, k, room);
		while (k)
			noise[all++] = (int64_t)fabs(apart[--k]);
	}
	qsort(noise, all, sizeof *noise, by_size);
	median = all ? (double)noise[all / 2] : 0;
	mem_free(noise, room, apart);
	return median;
}

/*
 * Are two groups of ranks one?  Those that are leave an operation together, whenever the last of each has come; those
 * that have nothing to do with each other end as far apart as their last ranks come.  An operation whose last ranks
 * come further apart than the noise of ends tells by itself; of the others, all together do: by how much ends follow
 * arrivals (the slope of a line through them, and its error).
 */
typedef struct {
	size_t telling, follow; /* operations that tell, and those whose ends follow the arrivals */
	size_t plain;           /* the others: */
	double xx, xy, yy;      /* sums of products of how far apart they come (x) and end (y) */
} evidence;

/* What two groups tell, by operation: how far apart their last ranks come, and how far apart they end; centred, beyond
 * what is so in half of them, by which their clocks may differ. */
static void take_evidence(evidence *e, const meeting *a, const meeting *b, size_t of, double noise, bool centred)
{
	double *x = mem_new(double, of), *y = mem_new(double, of);
	int64_t *room = mem_new(int64_t, of);
	size_t n = 0;

	for (size_t i = 0; i < of; i++)
		if (a[i].n && b[i].n) {
			x[n] = (double)ns_sub(a[i].last, b[i].last);
			y[n] = x[n] + a[i].mean - b[i].mean;
			n++;
		}
	if (centred) {
		centre(x, n, room);
		centre(y, n, room);
	}
	for (size_t i = 0; i < n; i++)
		if (fabs(x[i]) >= CLEARLY * noise && fabs(x[i]) > 0) {
			e->telling++;
			e->follow += fabs(y[i]) >= fabs(x[i]) / 2;
		} else {
			e->plain++;
			e->xx += x[i] * x[i];
			e->xy += x[i] * y[i];
			e->yy += y[i] * y[i];
		}
	mem_free(x, y, room);
}

enum tells { NOTHING, ONE, TWO };

static enum tells judge_evidence(const evidence *e)
{
	double slope = e->xx > 0 ? e->xy / e->xx : .5, n = (double)e->plain;
	double error = e->xx > 0 && n > 2 ? 2 * sqrt(fmax(0, e->yy / e->xx - slope * slope) / (n - 1)) : 1;
	bool enough = e->telling >= 3 && 10 * e->plain <= e->telling + e->plain;

	if (20 * e->follow <= e->telling && slope - error < .5 && (enough || slope + error < .5))
		return ONE;
	if (20 * (e->telling - e->follow) <= e->telling && slope + error > .5 && (enough || slope - error > .5))
		return TWO;
	return NOTHING;
}

/* What the groups of a grouping say about each other; within larger groups, if these are not NULL, else all. */
static enum tells compare_groups(const ordering *o, const aligned *s, uint32_t class, const grouping *g,
				 const grouping *larger)
{
	size_t groups = s->n / g->size, n = 0;
	meeting *m = mem_new(meeting, groups * (size_t)(s->end - s->first));
	double noise = noise_of(o, s, class, g->size > 1 ? g : larger);
	evidence e[2] = { { 0 } };
	enum tells t;

	for (int64_t number = s->first; number < s->end; number++)
		n += s->class[number - s->first] == class;
	for (size_t i = 0; i < groups; i++)
		for (size_t number = 0, k = 0; k < n; number++)
			if (s->class[number] == class)
				m[i * n + k++] = job_groups_meet(o, s, g, i, s->first + (int64_t)number);
	for (size_t i = 0; i < groups; i++)
		for (size_t k = 1; i + k < groups; k *= 2) {
			size_t a = job_groups_base(g, i), b = job_groups_base(g, i + k);
			for (int c = 0; c < 2 && (!larger || group_at(larger, a) == group_at(larger, b)); c++)
				take_evidence(&e[c], &m[i * n], &m[(i + k) * n], n, noise, c);
		}
	free(m);
	t = judge_evidence(&e[0]);
	return t == judge_evidence(&e[1]) ? t : NOTHING;        /* on exact clocks, and on such as differ */
}

/* Can smaller groups be meant as well as larger ones? */
static bool rival(const ordering *o, const aligned *s, uint32_t class, const grouping *small, const grouping *large)
{
	enum tells t = is_within(s, small, large) ? compare_groups(o, s, class, small, large) : NOTHING;

	return t == TWO || (t == NOTHING && !job_order_not_in_mesh(o, small->size));
}

size_t job_groups_leave_out(const ordering *o, aligned *s, uint32_t class, const grouping *g)
{
	size_t groups = s->n / g->size, n = 0;
	int64_t *end = mem_new(int64_t, groups), closest = (int64_t)(CLEARLY * noise_of(o, s, class, g));

	for (int64_t number = s->first; number < s->end; number++) {
		size_t ops = 0, met = 0;
		bool together = false;
		if (s->class[number - s->first] != class)
			continue;
		for (size_t i = 0; i < groups; i++) {
			meeting m = job_groups_meet(o, s, g, i, number);
			if (m.n)
				end[met++] = m.last + (int64_t)m.mean;
			ops += m.n;
		}
		qsort(end, met, sizeof *end, by_size);
		for (size_t i = 0; i + 1 < met; i++)
			together |= end[i + 1] - end[i] <= closest;
		if (together) {
			s->class[number - s->first] = NONE;
			n += ops;
		}
	}
	free(end);
	return n;
}

enum verdict job_groups_judge(const ordering *o, const aligned *s, uint32_t class, grouping *best)
{
	*best = (grouping){ 0 };
	for (size_t size = s->n; size > 1; size--)
		for (size_t stride = 1; s->n % size == 0 && stride <= s->n / size; stride++) {
			grouping g = { size, stride };
			if (s->n / size % stride || !fits(o, s, class, &g))
				continue;
			if (best->size && (size == best->size || rival(o, s, class, &g, best)))
				return SEVERAL;
			if (!best->size)
				*best = g;
		}
	if (best->size && rival(o, s, class, &(grouping){ 1, 1 }, best))
		return SEVERAL;
	if (best->size && best->size < s->n &&
	    (!o->ranked || o->unsure || compare_groups(o, s, class, best, NULL) != TWO))
		return SEVERAL;
	return best->size ? FITS : APART;
}
