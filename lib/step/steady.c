#include "step/steady.h"
#include "base/interval.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"

#include <math.h>

enum { LEAST_FOR_TREND = 8, FIFTH = 5 };

static int steady_compare_values(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return v[a] != v[b] ? sort_3way(v[a], v[b]) : sort_3way(a, b);
}

/* The places in [from,to) that have a value, sorted by value. */
static uint32_t *steady_sort_values(const int64_t *v, size_t from, size_t to, size_t *n)
{
	uint32_t *order = mem_new(uint32_t, to - from);

	*n = 0;
	for (size_t i = from; i < to; i++)
		if (v[i] != STEADY_NONE)
			order[(*n)++] = (uint32_t)i;
	sort_items(order, *n, steady_compare_values, v);
	return order;
}

/* The place of the lower median of the values in [from,to); `to`: there is no value. */
static size_t steady_find_median(const int64_t *v, size_t from, size_t to)
{
	size_t n;
	uint32_t *order = steady_sort_values(v, from, to, &n);
	size_t at = n ? order[(n - 1) / 2] : to;

	free(order);
	return at;
}

/* The sorted values of the steps, from which steps are removed one by one, from the first on.  After each removal, the
 * median of the steps left is at most one place away from the previous one. */
typedef struct {
	size_t *rank, *before, *after;  /* rank: by place, 1 to n; before, after: by rank, the neighbours that are
					 * left, with 0 and n + 1 as the ends */
	uint32_t *order;                /* by rank - 1: its place */
	size_t n, left, median;         /* left: values in the list; median: the rank of their lower median */
} later_values;

static later_values steady_sort_later(const int64_t *v, size_t n)
{
	later_values l;

	l.order = steady_sort_values(v, 0, n, &l.n);
	l.left = l.n;
	l.median = (l.n + 1) / 2;
	l.rank = mem_new(size_t, n);
	l.before = mem_new(size_t, l.n + 2);
	l.after = mem_new(size_t, l.n + 2);
	for (size_t i = 1; i <= l.n; i++) {
		l.rank[l.order[i - 1]] = i;
		l.before[i] = i - 1;
		l.after[i] = i + 1;
	}
	l.after[0] = 1;
	l.before[l.n + 1] = l.n;
	return l;
}

/* Removes a step.  The lower median of n values has (n - 1) / 2 values before it.  From an even number of values, the
 * median moves to the next value if the median itself or a value before it is removed.  From an odd number, the median
 * moves to the previous value unless a value before it is removed. */
static void steady_remove_value(later_values *l, size_t place)
{
	size_t r = l->rank[place], m = l->median;

	if (l->left % 2)
		l->median = r >= m ? l->before[m] : m;
	else
		l->median = r <= m ? l->after[m] : m;
	l->after[l->before[r]] = l->after[r];
	l->before[l->after[r]] = l->before[r];
	l->left--;
}

/* How many of the first steps each have a period longer than 1.3 times the median of all later periods. */
static size_t steady_count_leading(const int64_t *period, size_t n)
{
	later_values l = steady_sort_later(period, n);
	size_t lead = 0;

	for (; lead < n && period[lead] != STEADY_NONE; lead++) {
		steady_remove_value(&l, lead);
		if (!l.left || (double)period[lead] <= 1.3 * (double)period[l.order[l.median - 1]])
			break;
	}
	mem_free(l.order, l.rank, l.before, l.after);
	return lead;
}

/* Do the first steps do the same work as the later ones, only slower? */
static bool steady_does_the_same(const int64_t *busy, size_t lead, size_t n)
{
	size_t usual = busy ? steady_find_median(busy, lead, n) : n;

	for (size_t i = 0; usual < n && i < lead; i++)
		if (busy[i] == STEADY_NONE || (double)busy[i] > 1.3 * (double)busy[usual])
			return false;
	return usual < n;
}

static size_t steady_count_periods(const int64_t *period, size_t n)
{
	size_t have = 0;

	for (size_t i = 0; i < n; i++)
		have += period[i] != STEADY_NONE;
	return have;
}

static size_t steady_count_warm_up(const int64_t *period, const int64_t *busy, size_t n)
{
	size_t lead = steady_count_leading(period, n);

	if (3 * lead <= n)
		return lead;
	return 2 * lead <= steady_count_periods(period, n) && steady_does_the_same(busy, lead, n) ? lead : 0;
}

/* ---- trends */

static double steady_mean(const int64_t *v, const uint32_t *at, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[at[i]];
	return sum / (double)n;
}

/* The rank correlation of the values at n places with their order.  Equal values share their mean rank. */
static double steady_rank_correlation(const int64_t *v, const uint32_t *at, size_t n)
{
	double *value = mem_new(double, n), both = 0, own = 0, all = 0, middle = (double)(n - 1) / 2;
	uint32_t *order = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = at[i];
	sort_items(order, n, steady_compare_values, v);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[order[end]] == v[order[i]];)
			end++;
		for (size_t k = i; k < end; k++)
			value[k] = (double)(i + end - 1) / 2;
	}
	for (size_t i = 0; i < n; i++) {
		size_t place;
		search_first(place, 0, n, at[place] >= order[i]);
		both += (value[i] - middle) * ((double)place - middle);
		own += (value[i] - middle) * (value[i] - middle);
		all += ((double)place - middle) * ((double)place - middle);
	}
	mem_free(value, order);
	return own > 0 ? both / sqrt(own * all) : 0;
}

/* 1 if the values grow from the first to the last, -1 if they shrink, otherwise 0. */
static int steady_direction(const int64_t *v, const uint32_t *at, size_t n)
{
	double r, first, last;

	for (size_t i = 0; i < n; i++)
		if (v[at[i]] == STEADY_NONE)
			return 0;
	r = steady_rank_correlation(v, at, n);
	first = steady_mean(v, at, n / FIFTH);
	last = steady_mean(v, at + n - n / FIFTH, n / FIFTH);
	return r > 0.8 && last > 1.3 * first ? 1 : r < -0.8 && 1.3 * last < first ? -1 : 0;
}

/* The steps that have a period, in order; NULL: they are too few for a trend. */
static uint32_t *steady_with_period(const int64_t *period, size_t n, size_t *have)
{
	uint32_t *at = mem_new(uint32_t, n);

	*have = 0;
	for (size_t i = 0; i < n; i++)
		if (period[i] != STEADY_NONE)
			at[(*have)++] = (uint32_t)i;
	if (*have >= LEAST_FOR_TREND)
		return at;
	free(at);
	return NULL;
}

static void steady_find_trend(const int64_t *period, const int64_t *busy, size_t n, steady *s)
{
	size_t have;
	uint32_t *at = busy ? steady_with_period(period, n, &have) : NULL;
	int of_period = at ? steady_direction(period, at, have) : 0;

	s->trend = of_period && steady_direction(busy, at, have) == of_period;
	if (s->trend) {
		s->from = (int64_t)(steady_mean(period, at, have / FIFTH) + 0.5);
		s->to = (int64_t)(steady_mean(period, at + have - have / FIFTH, have / FIFTH) + 0.5);
	}
	free(at);
}

static bool steady_list_needs_busy(const int64_t *period, size_t n)
{
	size_t have;
	uint32_t *at = steady_with_period(period, n, &have);
	bool trend = at && steady_direction(period, at, have);

	free(at);
	return trend || 3 * steady_count_leading(period, n) > n;
}

static steady steady_find_alone(const steady_list *l, bool steadily)
{
	const int64_t *period = l->period;
	size_t n = l->n;
	steady s = { .end = n };

	if (steady_find_median(period, 0, n) == n) {
		s.typical = steady_find_median(l->length, 0, n);
		return s;
	}
	if (steadily) {
		steady_find_trend(period, l->busy, n, &s);
		s.first = s.trend ? 0 : steady_count_warm_up(period, l->busy, n);
		s.end -= period[n - 1] == STEADY_NONE;
	}
	s.typical = steady_find_median(period, s.first, s.end);
	return s;
}

/* Adds the values of a process's steps to sums, by number of the step.  A step has a sum only if all processes have a
 * value. */
static void steady_add(int64_t *sum, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = v[i] == STEADY_NONE || sum[i] == STEADY_NONE ? STEADY_NONE : ns_add(sum[i], v[i]);
}

/* Sums over the processes.  Busy times are summed over the processes for which they were measured, which suffices. */
static steady_list steady_sum_up(const steady_list *lists, size_t n)
{
	steady_list sum = { mem_new(int64_t, lists->n), mem_new(int64_t, lists->n), NULL, lists->n };

	for (size_t p = 0; p < n; p++) {
		steady_add(sum.period, lists[p].period, sum.n);
		steady_add(sum.length, lists[p].length, sum.n);
		if (lists[p].busy && !sum.busy)
			sum.busy = mem_new(int64_t, lists->n);
		if (lists[p].busy)
			steady_add(sum.busy, lists[p].busy, sum.n);
	}
	return sum;
}

/* Do all of several processes have equally many steps?  If so, steps with the same number belong together. */
static bool steady_are_alike(const steady_list *lists, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (lists[i].n != lists[0].n)
			return false;
	return n > 1;
}

bool steady_needs_busy(const steady_list *lists, size_t n)
{
	bool needed = false;
	steady_list sum;

	for (size_t i = 0; i < n && !needed; i++)
		needed = steady_list_needs_busy(lists[i].period, lists[i].n);
	if (needed || !steady_are_alike(lists, n))
		return needed;
	sum = steady_sum_up(lists, n);
	needed = steady_list_needs_busy(sum.period, sum.n);
	steady_list_free(&sum);
	return needed;
}

void steady_find(const steady_list *lists, size_t n, steady *out, bool steadily)
{
	steady_list sum;

	for (size_t i = 0; i < n; i++)
		out[i] = steady_find_alone(&lists[i], steadily);
	if (!steady_are_alike(lists, n))
		return;
	sum = steady_sum_up(lists, n);
	*out = steady_find_alone(&sum, steadily);
	out->from /= (int64_t)n;
	out->to /= (int64_t)n;
	for (size_t i = 1; i < n; i++)
		out[i] = *out;
	steady_list_free(&sum);
}

void steady_list_free(steady_list *l)
{
	mem_free(l->period, l->length, l->busy);
}
