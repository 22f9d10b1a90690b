/*
 * rank_test - do two samples differ by more than chance?
 *
 *     double before[] = { 7, 9, 8, 7.5, 8.5 }, after[] = { 10, 12, 11, 10.5, 11.5 };
 *     double p = rank_test_p(before, 5, after, 5);       // 0.0079
 *     double least = rank_test_least(5, 5);              // the same: no sample of the one is among the other
 *     ... p, least, rank_test_median(before, 5) ...      // 8
 *     rank_test_key keys[] = { { .p = p, .least = least }, { .p = 0.7, .least = least } };
 *     rank_test_holm(keys, 2, 0.05);
 *     ... keys[0].adjusted, keys[0].reachable ...        // 0.0159, true
 *
 * The test is that of Mann and Whitney, two-sided: it looks at the order of the samples alone, so that one slow step
 * does not decide.  Up to 20 a side and without ties, p is exact; otherwise it is that of the normal distribution, with
 * the variance corrected for ties and half a step taken off for continuity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The middle value by nearest rank, the lower of two.  n is at least 1. */
double rank_test_median(const double *v, size_t n);

/* The probability that samples drawn alike differ at least as much; 1 if a side is empty. */
double rank_test_p(const double *a, size_t na, const double *b, size_t nb);

/* That of samples without ties of which one side lies entirely above the other: the least there is. */
double rank_test_least(size_t na, size_t nb);

typedef struct {
	double p, least;        /* rank_test_p and rank_test_least of one comparison */
	double adjusted;        /* p, corrected by Holm for the number of comparisons */
	bool reachable;         /* would its least p have been below alpha after the correction? */
} rank_test_key;

/* Fill in the last two of each comparison. */
void rank_test_holm(rank_test_key *keys, size_t n, double alpha);
