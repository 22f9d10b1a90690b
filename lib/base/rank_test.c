#include "base/rank_test.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"

#include <math.h>

enum { EXACT = 20 };            /* the most values in a sample for which p is computed exactly */

static int rank_test_compare_values(uint32_t a, uint32_t b, const void *ctx)
{
	const double *v = ctx;

	return sort_3way(v[a], v[b]);
}

double rank_test_median(const double *v, size_t n)
{
	uint32_t *order = sort_all(n, rank_test_compare_values, v);
	double median = v[order[(n - 1) / 2]];

	free(order);
	return median;
}

/* The probability that U, the statistic of Mann and Whitney, is at most u, over all orders of na and nb values.  The
 * number of orders for each U is a coefficient of (1-q^(nb+1))...(1-q^(nb+na)) / (1-q)...(1-q^na). */
static double rank_test_find_exact_share(size_t na, size_t nb, size_t u)
{
	double ways[EXACT * EXACT + 1] = { 1 }, all = 1, sum = 0;

	for (size_t i = 1; i <= na; i++) {
		for (size_t k = na * nb; k >= nb + i; k--)
			ways[k] -= ways[k - nb - i];
		for (size_t k = i; k <= na * nb; k++)
			ways[k] += ways[k - i];
		all = all * (double)(nb + i) / (double)i;
	}
	for (size_t k = 0; k <= u; k++)
		sum += ways[k];
	return sum / all;
}

/* The two-sided p of a U that is at most its mean.  ties: the sum of t^3-t over the groups of t equal values. */
static double rank_test_find_p(double u, size_t na, size_t nb, double ties)
{
	double pairs = (double)na * (double)nb, n = (double)na + (double)nb, variance;

	if (na <= EXACT && nb <= EXACT && ties == 0)
		return fmin(1, 2 * rank_test_find_exact_share(na, nb, (size_t)u));
	variance = pairs / 12 * (n + 1 - ties / (n * (n - 1)));
	return variance > 0 ? erfc(fmax(0, pairs / 2 - u - 0.5) / sqrt(2 * variance)) : 1;
}

double rank_test_p(const double *a, size_t na, const double *b, size_t nb)
{
	size_t n = na + nb;
	double *all = mem_new(double, n), ranks = 0, ties = 0, u;
	uint32_t *order;

	for (size_t i = 0; i < n; i++)
		all[i] = i < na ? a[i] : b[i - na];
	order = sort_all(n, rank_test_compare_values, all);
	for (size_t i = 0, k; i < n; i = k) {   /* order[i..k-1] are equal values, which get the mean of their ranks */
		for (k = i; k < n && all[order[k]] == all[order[i]]; k++)
			;
		for (size_t at = i; at < k; at++)
			ranks += order[at] < na ? (double)(i + k + 1) / 2 : 0;
		ties += (double)(k - i) * ((double)(k - i) * (double)(k - i) - 1);
	}
	mem_free(order, all);
	u = ranks - (double)na * (double)(na + 1) / 2;
	return na && nb ? rank_test_find_p(fmin(u, (double)na * (double)nb - u), na, nb, ties) : 1;
}

double rank_test_least_p(size_t na, size_t nb)
{
	return na && nb ? rank_test_find_p(0, na, nb, 0) : 1;
}

static int rank_test_compare_p(uint32_t a, uint32_t b, const void *ctx)
{
	const rank_test_key *keys = ctx;

	return sort_3way(keys[a].p, keys[b].p);
}

/* If comparison i had its least p, would its adjusted p be below alpha?  `order` sorts the comparisons by p; the first
 * `below` of them have an adjusted p below alpha.  Comparison i would then stand behind the comparisons whose p is less
 * than its least p.  All of these must be among the first `below`, because no comparison has a smaller adjusted p than
 * the one before it.  And the least p times the number of comparisons from i on must be below alpha. */
static bool rank_test_is_reachable(const rank_test_key *keys, const uint32_t *order, size_t n, size_t below, size_t i,
				   double alpha)
{
	size_t before;

	search_first(before, 0, n, keys[order[before]].p >= keys[i].least);
	before -= keys[i].p < keys[i].least;    /* i itself is not among them; with ties, p may be less than least */
	return before <= below && (double)(n - before) * keys[i].least < alpha;
}

void rank_test_holm(rank_test_key *keys, size_t n, double alpha)
{
	uint32_t *order = sort_all(n, rank_test_compare_p, keys);
	double reached = 0;
	size_t below = 0;

	for (size_t i = 0; i < n; i++) {
		rank_test_key *k = &keys[order[i]];
		reached = fmin(1, fmax(reached, (double)(n - i) * k->p));
		k->adjusted = reached;
		below += reached < alpha;
	}
	for (size_t i = 0; i < n; i++)
		keys[i].reachable = rank_test_is_reachable(keys, order, n, below, i, alpha);
	free(order);
}
