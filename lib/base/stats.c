#include "base/stats.h"
#include "base/interval.h"

#include <stdbool.h>

void stats_reserve(stats *s, size_t n)
{
	vec_reserve(&s->group, s->group.n + n);
	vec_reserve(&s->value, s->value.n + n);
}

void stats_add(stats *s, size_t group, int64_t value)
{
	vec_push(&s->group, (uint32_t)group);
	vec_push(&s->value, value);
}

/* A random index in [lo,hi).  Fixed positions would give bad pivots for durations that rise and fall regularly. */
static size_t stats_pick_index(size_t lo, size_t hi, uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return lo + (*seed >> 33) % (hi - lo);
}

static int64_t stats_middle_of_three(int64_t a, int64_t b, int64_t c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Move the values of v[lo..hi) that are below a limit to the front; with `or_equal`, also those equal to it.  Returns
 * the index behind them.  The loop has no branch, since every second one would be mispredicted. */
static size_t stats_move_below(int64_t *v, size_t lo, size_t hi, int64_t limit, bool or_equal)
{
	for (size_t i = lo; i < hi; i++) {
		int64_t x = v[i];
		v[i] = v[lo];
		v[lo] = x;
		lo += (x < limit) | (or_equal & (x == limit));
	}
	return lo;
}

/* Quickselect: put at v[k] the value that sorting v[lo..hi) would put there, with no larger value before it and no
 * smaller one behind it.  Each round moves the values below the pivot, a median of three, to the front, and goes on
 * with the part that contains index k.  If no value is below the pivot, the values equal to it are moved instead, so
 * that the part always shrinks. */
static void stats_select_nth(int64_t *v, size_t lo, size_t hi, size_t k)
{
	uint64_t seed = k;

	while (hi - lo > 1) {
		int64_t a = v[stats_pick_index(lo, hi, &seed)], b = v[stats_pick_index(lo, hi, &seed)],
			c = v[stats_pick_index(lo, hi, &seed)];
		int64_t pivot = stats_middle_of_three(a, b, c);
		size_t split = stats_move_below(v, lo, hi, pivot, false);
		bool least = split == lo;
		if (least)
			split = stats_move_below(v, lo, hi, pivot, true);
		if (k >= split)
			lo = split;
		else if (least)
			return;
		else
			hi = split;
	}
}

/* The value of percentile p.  Percentiles must be requested in rising order.  *done: the index of the percentile that
 * was requested before; 0 at first. */
static int64_t stats_find_percentile(int64_t *v, size_t n, size_t *done, size_t p)
{
	size_t k = stats_rank(n, p);

	stats_select_nth(v, *done, n, k);
	*done = k;
	return v[k];
}

static stats_summary stats_summarize(int64_t *v, size_t n)
{
	stats_summary s = { .count = (int64_t)n, .mean = STATS_MISSING, .p50 = STATS_MISSING, .p90 = STATS_MISSING,
		.p99 = STATS_MISSING, .min = STATS_MISSING, .max = STATS_MISSING };
	size_t done = 0;
	int64_t rest;

	if (!n)
		return s;
	s.min = s.max = v[0];
	for (size_t i = 0; i < n; i++) {
		s.total = ns_add(s.total, v[i]);
		s.min = ns_min(s.min, v[i]);
		s.max = ns_max(s.max, v[i]);
	}
	s.mean = s.total / s.count;
	rest = s.total % s.count;
	if (rest < 0) {
		rest += s.count;
		s.mean--;
	}
	s.mean += rest >= s.count - rest;
	s.p50 = stats_find_percentile(v, n, &done, 50);
	s.p90 = stats_find_percentile(v, n, &done, 90);
	s.p99 = stats_find_percentile(v, n, &done, 99);
	return s;
}

stats_summary *stats_finish(stats *s, size_t groups)
{
	size_t *end = mem_new(size_t, groups), all = 0;
	stats_summary *sums = mem_new(stats_summary, groups);
	int64_t *v = mem_grow(NULL, s->value.n, sizeof *v);     /* values, sorted by group */

	for (size_t i = 0; i < s->group.n; i++)
		end[s->group.v[i]]++;
	for (size_t g = 0; g < groups; g++) {           /* end[g] is first the index of the group's first value; the
							 * loop below moves it to the end */
		size_t count = end[g];
		end[g] = all;
		all += count;
	}
	for (size_t i = 0; i < s->group.n; i++)
		v[end[s->group.v[i]]++] = s->value.v[i];
	vec_free(&s->group);
	vec_free(&s->value);
	for (size_t g = 0, first = 0; g < groups; first = end[g++])
		sums[g] = stats_summarize(v + first, end[g] - first);
	mem_free(v, end);
	return sums;
}

int64_t stats_median(const int64_t *v, size_t n)
{
	stats s = { 0 };
	stats_summary *sum;
	int64_t median;

	stats_reserve(&s, n);
	for (size_t i = 0; i < n; i++)
		stats_add(&s, 0, v[i]);
	sum = stats_finish(&s, 1);
	median = sum->p50;
	free(sum);
	return median;
}

/* The smallest value for which the weights of all values up to it sum to at least `weight`.  This is stats_select_nth
 * with weights instead of counts. */
static int64_t stats_select_by_weight(stats_weighted_value *v, size_t n, double weight)
{
	size_t lo = 0, hi = n;
	uint64_t seed = n;
	int64_t pivot = v[0].value;

	while (hi > lo) {
		int64_t a = v[stats_pick_index(lo, hi, &seed)].value, b = v[stats_pick_index(lo, hi, &seed)].value;
		size_t less = lo, i = lo, more = hi;
		double below = 0, equal = 0;
		pivot = stats_middle_of_three(a, b, v[stats_pick_index(lo, hi, &seed)].value);
		while (i < more) {
			stats_weighted_value x = v[i];
			if (x.value < pivot) {
				below += x.weight;
				v[i++] = v[less];
				v[less++] = x;
			} else if (x.value > pivot) {
				v[i] = v[--more];
				v[more] = x;
			} else {
				equal += x.weight;
				i++;
			}
		}
		if (less > lo && weight <= below) {
			hi = less;
		} else if (weight <= below + equal) {
			return pivot;
		} else {
			weight -= below + equal;
			lo = more;
		}
	}
	return pivot;           /* rounding left a little weight that belongs to no value */
}

stats_weighted_summary stats_summarize_weighted(stats_weighted_value *v, size_t n)
{
	stats_weighted_summary s = { .max = v[0].value };
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		s.weight += v[i].weight;
		total += v[i].weight * (double)v[i].value;
		s.max = v[i].value > s.max ? v[i].value : s.max;
	}
	s.mean = total / s.weight;
	s.p50 = stats_select_by_weight(v, n, s.weight * 50 / 100);
	s.p90 = stats_select_by_weight(v, n, s.weight * 90 / 100);
	return s;
}
