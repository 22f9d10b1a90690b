/*
 * band - pieces of time in order of start, as a row of a timeline shows them: how much of a stretch they cover, how
 * many are in it, and which is the longest, each in O(log n).
 *
 *     int64_t start[] = { 10, 30 }, end[] = { 20, 90 };
 *     uint32_t *items = mem_new(uint32_t, 2);
 *     items[1] = 1;
 *     band b = band_new(start, end, items, 2);
 *     band_part p = band_in(&b, (ival){ 15, 40 });       // busy 15, n 2, longest 1
 *     printf("%lld\n", (long long)p.busy);
 *     band_free(&b);
 *
 * Pieces may overlap; what several cover counts once.
 */
#pragma once

#include "base/interval.h"
#include "base/memory.h"

typedef struct {                /* of BAND_BLOCK pieces one after the other */
	int64_t covered;        /* by all pieces before them, */
	int64_t reach;          /* and when the last of those ends, */
	uint32_t last;          /* which is this one; its position */
	uint32_t longest;       /* of them; position */
} band_block;

typedef struct {
	const int64_t *start, *end;     /* by item; they must outlive the band */
	uint32_t *item;         /* by position, in order of start */
	size_t n;
	band_block *block;
} band;

/* items: in order of start; the band frees them. */
band band_new(const int64_t *start, const int64_t *end, uint32_t *items, size_t n);
void band_free(band *b);

/* The position of the first piece that starts at the moment or later; n: there is none. */
size_t band_from(const band *b, int64_t moment);

/* When the last of the pieces ends that start before the moment; INT64_MIN: there is none. */
int64_t band_reach(const band *b, int64_t moment);

typedef struct {
	size_t n;               /* pieces in the stretch */
	int64_t busy;           /* how much of it they cover */
	size_t longest;         /* position of the one with most time in it; meaningless without any */
	int64_t longest_ns;     /* and how much that is */
} band_part;

band_part band_in(const band *b, ival in);

/* The piece that is open at the moment: the last that started; SIZE_MAX: none is. */
size_t band_at(const band *b, int64_t moment);

static inline ival band_time(const band *b, size_t position)
{
	return (ival){ b->start[b->item[position]], b->end[b->item[position]] };
}
