#include "base/interval.h"
#include "base/memory.h"
#include "base/search.h"

#include <string.h>

void ival_add(ival_set *s, int64_t a, int64_t b)
{
	if (a >= b)
		return;
	if (s->before) {
		free(s->before);
		s->before = NULL;
	}
	if (!s->room)                   /* room for one interval first, since most sets of windows have only one */
		*s = (ival_set){ .v = mem_new(ival, 1), .room = 1 };
	if (!s->n || a > s->v[s->n - 1].b)
		vec_push(s, (ival){ a, b });
	else if (b > s->v[s->n - 1].b)
		s->v[s->n - 1].b = b;
}

static int interval_compare_starts(const void *x, const void *y)
{
	const ival *p = x, *q = y;

	return (p->a > q->a) - (p->a < q->a);
}

ival_set ival_union(const ival *v, size_t n)
{
	ival_set out = { 0 };
	ival *sorted;

	if (!n)
		return out;
	sorted = mem_new(ival, n);
	memcpy(sorted, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, interval_compare_starts);
	for (size_t i = 0; i < n; i++)
		ival_add(&out, sorted[i].a, sorted[i].b);
	free(sorted);
	return out;
}

int64_t ival_length(const ival_set *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum = ns_add(sum, s->v[i].b - s->v[i].a);
	return sum;
}

size_t ival_after(const ival_set *s, int64_t t)
{
	size_t i;

	search_first(i, 0, s->n, s->v[i].b > t);
	return i;
}

/* The length of the part of the set before t. */
static int64_t interval_measure_before(const ival_set *s, int64_t t)
{
	size_t i = ival_after(s, t);
	int64_t sum = s->before[i / IVAL_BLOCK];

	for (size_t k = i / IVAL_BLOCK * IVAL_BLOCK; k < i; k++)
		sum = ns_add(sum, ns_sub(s->v[k].b, s->v[k].a));
	return sum + (i < s->n && t > s->v[i].a ? t - s->v[i].a : 0);
}

void ival_index(ival_set *s)
{
	int64_t sum = 0;

	if (s->before || s->n < IVAL_BLOCK)     /* a few intervals are summed as quickly without an index */
		return;
	s->before = mem_new(int64_t, s->n / IVAL_BLOCK + 1);
	for (size_t i = 0; i < s->n; i++) {
		if (i % IVAL_BLOCK == 0)
			s->before[i / IVAL_BLOCK] = sum;
		sum = ns_add(sum, ns_sub(s->v[i].b, s->v[i].a));
	}
	if (s->n % IVAL_BLOCK == 0)
		s->before[s->n / IVAL_BLOCK] = sum;
}

static int64_t interval_measure_shared(ival x, int64_t a, int64_t b)
{
	ival both = ival_cut(x, (ival){ a, b });

	return both.a < both.b ? both.b - both.a : 0;
}

int64_t ival_within_many(const ival_set *s, int64_t a, int64_t b)
{
	int64_t sum = 0;
	size_t first;

	if (a >= b)
		return 0;
	first = ival_after(s, a);
	for (size_t i = first; i < s->n && s->v[i].a < b; i++) {
		if (s->before && i - first == IVAL_BLOCK)       /* after a block of intervals, the index is faster */
			return interval_measure_before(s, b) - interval_measure_before(s, a);
		sum = ns_add(sum, interval_measure_shared(s->v[i], a, b));
	}
	return sum;
}

int64_t ival_within_both(const ival_set *s, const ival_set *parts, int64_t a, int64_t b)
{
	int64_t sum = 0;

	for (size_t i = ival_after(parts, a); i < parts->n && parts->v[i].a < b; i++)
		sum = ns_add(sum, ival_within(s, ns_max(a, parts->v[i].a), ns_min(b, parts->v[i].b)));
	return sum;
}

bool ival_touches(const ival_set *s, int64_t start, int64_t end)
{
	size_t i = ival_after(s, start);

	if (i == s->n)
		return false;
	return s->v[i].a < end || (start == end && s->v[i].a <= start);
}

bool ival_holds(const ival_set *s, int64_t start, int64_t end)
{
	size_t i = ival_after(s, start);

	return i < s->n && s->v[i].a <= start && end <= s->v[i].b;
}

ival_set ival_and(const ival_set *x, const ival_set *y)
{
	ival_set out = { 0 };

	for (size_t i = 0, j = 0; i < x->n && j < y->n;) {
		ival both = ival_cut(x->v[i], y->v[j]);
		ival_add(&out, both.a, both.b);
		if (x->v[i].b < y->v[j].b)
			i++;
		else
			j++;
	}
	return out;
}

ival_set ival_or(const ival_set *x, const ival_set *y)
{
	ival_set out = { 0 };

	for (size_t i = 0, j = 0; i < x->n || j < y->n;) {
		const ival *next = j == y->n || (i < x->n && x->v[i].a <= y->v[j].a) ? &x->v[i++] : &y->v[j++];
		ival_add(&out, next->a, next->b);
	}
	return out;
}

ival_set ival_without(const ival_set *x, const ival_set *y)
{
	ival_set out = { 0 };

	for (size_t i = 0; i < x->n; i++) {
		int64_t from = x->v[i].a;
		for (size_t k = ival_after(y, from); k < y->n && y->v[k].a < x->v[i].b; k++) {
			ival_add(&out, from, y->v[k].a);
			from = y->v[k].b;
		}
		ival_add(&out, from, x->v[i].b);
	}
	return out;
}

void ival_free(ival_set *s)
{
	mem_free(s->before, s->v);
	memset(s, 0, sizeof *s);
}
