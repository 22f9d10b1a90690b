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

/* The steps in [from,to) that have a value, sorted by value. */
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

/* The step with the lower median of the values in [from,to); `to`: no step has a value. */
static size_t steady_find_median(const int64_t *v, size_t from, size_t to)
{
	size_t n;
	uint32_t *order = steady_sort_values(v, from, to, &n);
	size_t at = n ? order[(n - 1) / 2] : to;

	free(order);
	return at;
}

/* The values of the steps, sorted.  Steps are removed one by one, from the first on.  A removal moves the median by at
 * most one remaining value. */
typedef struct {
	size_t *rank;                   /* by step: the rank of its value in sorted order, from 1 */
	size_t *before;                 /* by rank: the remaining rank before it; 0: there is none */
	size_t *after;                  /* by rank: the remaining rank after it; n + 1: there is none */
	uint32_t *order;                /* by rank - 1: the step */
	size_t n;                       /* number of steps that have a value */
	size_t left;                    /* number of values that remain */
	size_t median;                  /* the rank of the lower median of the remaining values */
} remaining_values;

static remaining_values steady_list_remaining(const int64_t *v, size_t n)
{
	remaining_values l;

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
static void steady_remove_value(remaining_values *l, size_t step)
{
	size_t r = l->rank[step], m = l->median;

	if (l->left % 2)
		l->median = r >= m ? l->before[m] : m;
	else
		l->median = r <= m ? l->after[m] : m;
	l->after[l->before[r]] = l->after[r];
	l->before[l->after[r]] = l->before[r];
	l->left--;
}

/* The number of steps before the first one that has no period, or whose period is at most 1.3 times the median of all
 * later periods. */
static size_t steady_count_leading(const int64_t *period, size_t n)
{
	remaining_values l = steady_list_remaining(period, n);
	size_t lead = 0;

	for (; lead < n && period[lead] != STEADY_NONE; lead++) {
		steady_remove_value(&l, lead);
		if (!l.left || (double)period[lead] <= 1.3 * (double)period[l.order[l.median - 1]])
			break;
	}
	mem_free(l.order, l.rank, l.before, l.after);
	return lead;
}

/* Do the first `lead` steps do the same work as the later ones, only slower? */
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

/* The rank correlation of v[at[0]], v[at[1]] and so on with their position in `at`.  Equal values share their mean
 * rank. */
static double steady_correlate_ranks(const int64_t *v, const uint32_t *at, size_t n)
{
	double *rank = mem_new(double, n), both = 0, rank_squares = 0, place_squares = 0, middle = (double)(n - 1) / 2;
	uint32_t *order = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = at[i];
	sort_items(order, n, steady_compare_values, v);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[order[end]] == v[order[i]];)
			end++;
		for (size_t k = i; k < end; k++)
			rank[k] = (double)(i + end - 1) / 2;
	}
	for (size_t i = 0; i < n; i++) {
		size_t place;
		search_first(place, 0, n, at[place] >= order[i]);
		both += (rank[i] - middle) * ((double)place - middle);
		rank_squares += (rank[i] - middle) * (rank[i] - middle);
		place_squares += ((double)place - middle) * ((double)place - middle);
	}
	mem_free(rank, order);
	return rank_squares > 0 ? both / sqrt(rank_squares * place_squares) : 0;
}

/* 1 if v[at[0]], v[at[1]] and so on grow, -1 if they shrink, otherwise 0.  0, too, if one of them is STEADY_NONE. */
static int steady_find_direction(const int64_t *v, const uint32_t *at, size_t n)
{
	double r, first, last;

	for (size_t i = 0; i < n; i++)
		if (v[at[i]] == STEADY_NONE)
			return 0;
	r = steady_correlate_ranks(v, at, n);
	first = steady_mean(v, at, n / FIFTH);
	last = steady_mean(v, at + n - n / FIFTH, n / FIFTH);
	return r > 0.8 && last > 1.3 * first ? 1 : r < -0.8 && 1.3 * last < first ? -1 : 0;
}

/* The steps that have a period, in order; *have: their number.  NULL: they are too few for a trend. */
static uint32_t *steady_list_with_period(const int64_t *period, size_t n, size_t *have)
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
	uint32_t *at = busy ? steady_list_with_period(period, n, &have) : NULL;
	int of_period = at ? steady_find_direction(period, at, have) : 0;

	s->trend = of_period && steady_find_direction(busy, at, have) == of_period;
	if (s->trend) {
		s->from = (int64_t)(steady_mean(period, at, have / FIFTH) + 0.5);
		s->to = (int64_t)(steady_mean(period, at + have - have / FIFTH, have / FIFTH) + 0.5);
	}
	free(at);
}

static bool steady_list_needs_busy(const int64_t *period, size_t n)
{
	size_t have;
	uint32_t *at = steady_list_with_period(period, n, &have);
	bool trend = at && steady_find_direction(period, at, have);

	free(at);
	return trend || 3 * steady_count_leading(period, n) > n;
}

static steady steady_judge_process(const steady_list *l, bool leave_out)
{
	const int64_t *period = l->period;
	size_t n = l->n;
	steady s = { .end = n };

	if (steady_find_median(period, 0, n) == n) {
		s.typical = steady_find_median(l->length, 0, n);
		return s;
	}
	if (leave_out) {
		steady_find_trend(period, l->busy, n, &s);
		s.first = s.trend ? 0 : steady_count_warm_up(period, l->busy, n);
		s.end -= period[n - 1] == STEADY_NONE;
	}
	s.typical = steady_find_median(period, s.first, s.end);
	return s;
}

/* Adds the values of a process to the sums, step by step.  A step has a sum only if it has a value in all processes. */
static void steady_add_values(int64_t *sum, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = v[i] == STEADY_NONE || sum[i] == STEADY_NONE ? STEADY_NONE : ns_add(sum[i], v[i]);
}

/* For each step, the sums over the processes.  Busy times are summed over those processes for which they were measured,
 * which is enough to tell a trend or a long warm-up. */
static steady_list steady_sum_up(const steady_list *lists, size_t n)
{
	steady_list sum = { mem_new(int64_t, lists->n), mem_new(int64_t, lists->n), NULL, lists->n };

	for (size_t p = 0; p < n; p++) {
		steady_add_values(sum.period, lists[p].period, sum.n);
		steady_add_values(sum.length, lists[p].length, sum.n);
		if (lists[p].busy && !sum.busy)
			sum.busy = mem_new(int64_t, lists->n);
		if (lists[p].busy)
			steady_add_values(sum.busy, lists[p].busy, sum.n);
	}
	return sum;
}

/* Are there several processes, all with equally many steps?  If so, steps with the same index belong together. */
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

void steady_find(const steady_list *lists, size_t n, steady *out, bool leave_out)
{
	steady_list sum;

	for (size_t i = 0; i < n; i++)
		out[i] = steady_judge_process(&lists[i], leave_out);
	if (!steady_are_alike(lists, n))
		return;
	sum = steady_sum_up(lists, n);
	*out = steady_judge_process(&sum, leave_out);
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
