/*
 * interval - sets of half-open time intervals [a,b), kept sorted and disjoint.
 *
 *     ival_set busy = { 0 };
 *     ival_add(&busy, 10, 20);                   // in order of start: constant time
 *     ival_add(&busy, 15, 30);                   // now { [10,30) }
 *     ival_length(&busy);                        // 20
 *     ival_within(&busy, 25, 99);                // 5: how much of [25,99) it covers
 *     ival_free(&busy);
 *
 * Sums saturate at INT64_MAX instead of wrapping.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	int64_t a, b;
} ival;

/* An empty interval; ival_hull of it and x is x. */
#define IVAL_NOWHERE ((ival){ INT64_MAX, INT64_MIN })

typedef struct {
	ival *v;
	size_t n, room;
	int64_t *before;   /* before[i]: the length of all intervals before v[i * IVAL_BLOCK]; NULL: there is no
			    * index */
} ival_set;

enum { IVAL_BLOCK = 64 };

/* Add [a,b); a must not be less than the start of the interval added last.  Empty intervals are ignored. */
void ival_add(ival_set *s, int64_t a, int64_t b);

/* The union of n intervals in any order, overlapping or not. */
ival_set ival_union(const ival *v, size_t n);

int64_t ival_length(const ival_set *s);

/* Index a finished set, so that ival_within takes O(log n).  A set of fewer than IVAL_BLOCK intervals gets no index. */
void ival_index(ival_set *s);

/* How much of [a,b) is covered by both sets. */
int64_t ival_within_both(const ival_set *s, const ival_set *parts, int64_t a, int64_t b);

/* Does the event [start,end) count as being in the set?  Yes if it overlaps an interval; an event of zero
 * length counts if its start lies in one. */
bool ival_touches(const ival_set *s, int64_t start, int64_t end);

/* Does the event [start,end) lie entirely inside one interval of the set? */
bool ival_holds(const ival_set *s, int64_t start, int64_t end);

/* The index of the first interval that ends after t; s->n: there is none. */
size_t ival_after(const ival_set *s, int64_t t);

/* New sets, which the caller frees: the intersection of x and y, their union, and x without y. */
ival_set ival_and(const ival_set *x, const ival_set *y);
ival_set ival_or(const ival_set *x, const ival_set *y);
ival_set ival_without(const ival_set *x, const ival_set *y);

void ival_free(ival_set *s);

/* a + b and a - b of times, lengths and counts.  They saturate at the least and the greatest number. */
static inline int64_t ns_add(int64_t a, int64_t b)
{
	int64_t c;

	return !__builtin_add_overflow(a, b, &c) ? c : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t ns_sub(int64_t a, int64_t b)
{
	int64_t c;

	return !__builtin_sub_overflow(a, b, &c) ? c : b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t ns_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t ns_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The interval from the earlier start to the later end. */
static inline ival ival_hull(ival x, ival y)
{
	return (ival){ ns_min(x.a, y.a), ns_max(x.b, y.b) };
}

/* The intersection, which is empty if its a is not less than its b. */
static inline ival ival_cut(ival x, ival y)
{
	return (ival){ ns_max(x.a, y.a), ns_min(x.b, y.b) };
}

/* ival_within for a set of any number of intervals.  Without ival_index it takes time proportional to the number of
 * intervals in [a,b). */
int64_t ival_within_many(const ival_set *s, int64_t a, int64_t b);

/* How much of [a,b) the set covers.  This is called for every event, mostly with a set of one interval, so that case is
 * inline. */
static inline int64_t ival_within(const ival_set *s, int64_t a, int64_t b)
{
	ival both = s->n == 1 ? ival_cut(s->v[0], (ival){ a, b }) : IVAL_NOWHERE;

	return s->n != 1 ? ival_within_many(s, a, b) : both.a < both.b ? both.b - both.a : 0;
}
