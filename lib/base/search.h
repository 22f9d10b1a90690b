/*
 * search - binary search, written once.
 *
 *     int64_t start[] = { 10, 20, 30 };
 *     size_t i;
 *     search_first(i, 0, 3, start[i] >= 15);     // i == 1: the first that is not before 15
 *
 * i is set to the first index of [lo,hi) for which the condition, an expression of i, is true, or to hi.  The condition
 * must be false up to some index and true from there on.
 */
#pragma once

#include <stddef.h>

#define search_first(i, lo, hi, condition) \
	do { \
		size_t search_lo = (lo), search_hi = (hi); \
		while (search_lo < search_hi) { \
			(i) = search_lo + (search_hi - search_lo) / 2; \
			if (condition) \
				search_hi = (i); \
			else \
				search_lo = (i) + 1; \
		} \
		(i) = search_lo; \
	} while (0)
