/*
 * rank_test - do two samples differ by more than chance?
 *
 *     double before[] = { 7, 9, 8, 7.5, 8.5 }, after[] = { 10, 12, 11, 10.5, 11.5 };
 *     double p = rank_test_p(before, 5, after, 5);       // 0.0079
 *     double least = rank_test_least_p(5, 5);              // the same: all values of one sample are above the other
 *     ... p, least, rank_test_median(before, 5) ...      // 8
 *     rank_test_key keys[] = { { .p = p, .least = least }, { .p = 0.7, .least = least } };
 *     rank_test_holm(keys, 2, 0.05);
 *     ... keys[0].adjusted, keys[0].reachable ...        // 0.0159, true
 *
 * It is the two-sided test of Mann and Whitney.  Only the order of the values matters, so one extreme value does not
 * decide.  p is exact if no sample has more than 20 values and no two values are equal.  Otherwise p comes from the
 * normal distribution, with the variance corrected for ties and the usual correction for continuity, 0.5.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The lower median of n values, at least one. */
double rank_test_median(const double *v, size_t n);

/* The probability that two samples of the same distribution differ at least this much; 1 if one is empty. */
double rank_test_p(const double *a, size_t na, const double *b, size_t nb);

/* The smallest p of two samples without ties, one of them entirely above the other.  With ties, p may be smaller. */
double rank_test_least_p(size_t na, size_t nb);

/* One comparison among several that are made together. */
typedef struct {
	double p, least;        /* the results of rank_test_p and rank_test_least_p */
	double adjusted;        /* p, corrected by Holm for the number of comparisons */
	bool reachable;         /* could samples of these sizes have given an adjusted p below alpha, if the other
				 * comparisons kept their p? */
} rank_test_key;

/* Set `adjusted` and `reachable` of n comparisons. */
void rank_test_holm(rank_test_key *keys, size_t n, double alpha);
