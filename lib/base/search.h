/*
 * search - binary search.
 *
 *     int64_t start[] = { 10, 20, 30 };
 *     size_t i;
 *     search_first(i, 0, 3, start[i] >= 15);     // i == 1: the first that is not before 15
 *
 * i is set to the first index of [lo,hi) for which the condition, an expression of i, is true, or to hi.  The condition
 * must be false up to some index and true from there on.  search_near is fast if the result is close to `near`, which
 * may be any number.
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

/* Search in steps that double.  The condition is false before near_lo, and true from near_hi on. */
#define search_near(i, near, lo, hi, condition) \
	do { \
		size_t near_lo = (lo), near_hi = (hi), near_step = 1; \
		(i) = (near); \
		if ((i) < near_lo || (i) > near_hi) { \
			;       /* `near` is out of range */ \
		} else if ((i) == near_hi || (condition)) { \
			for (near_hi = (i); near_hi - near_lo > near_step; near_step *= 2) { \
				(i) = near_hi - near_step; \
				if (!(condition)) { \
					near_lo = (i) + 1; \
					break; \
				} \
				near_hi = (i); \
			} \
		} else { \
			for (near_lo = (i) + 1; near_hi - near_lo > near_step; near_step *= 2) { \
				(i) = near_lo + near_step; \
				if (condition) { \
					near_hi = (i); \
					break; \
				} \
				near_lo = (i) + 1; \
			} \
		} \
		search_first(i, near_lo, near_hi, condition); \
	} while (0)
