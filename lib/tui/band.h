/*
 * band - the pieces of time in a row of a timeline, in order of start.  A band says how much of a stretch of time its
 * pieces cover and how many pieces there are, in O(log n), and which of them is the longest, in O(n / 64).
 *
 *     int64_t start[] = { 10, 30 }, end[] = { 20, 90 };
 *     uint32_t *items = mem_new(uint32_t, 2);
 *     items[1] = 1;
 *     band b = band_new(start, end, items, 2);
 *     band_part p = band_in(&b, (ival){ 15, 40 });       // busy 15, n 2, longest 1
 *     printf("%lld\n", (long long)p.busy);
 *     band_free(&b);
 *
 * Pieces may overlap; time that several of them cover is counted once.
 */
#pragma once

#include "base/interval.h"
#include "base/memory.h"

typedef struct {                /* about BAND_BLOCK consecutive pieces */
	int64_t covered;        /* time covered by all pieces before the block, ns */
	int64_t reach;          /* the latest end of the pieces before the block */
	uint32_t last;          /* the position of the piece with that end */
	uint32_t longest;       /* the position of the longest piece in the block */
} band_block;

typedef struct {
	const int64_t *start, *end;     /* by item; they must outlive the band */
	uint32_t *item;         /* by position, in order of start */
	size_t n;
	band_block *block;
} band;

/* items: indices into start and end, in order of start; the band frees them. */
band band_new(const int64_t *start, const int64_t *end, uint32_t *items, size_t n);
void band_free(band *b);

/* The position of the first piece that starts at the moment or later; n: there is none. */
size_t band_from(const band *b, int64_t moment);

/* The latest end of the pieces that start before the moment; INT64_MIN: there is none. */
int64_t band_reach(const band *b, int64_t moment);

typedef struct {
	size_t n;               /* the number of pieces that start in the stretch, plus 1 if an earlier piece reaches
				 * into it */
	int64_t busy;           /* the part of the stretch that pieces cover, ns */
	size_t longest;         /* position of the piece with the most time in the stretch; meaningless if n is 0 */
	int64_t longest_ns;     /* the time of that piece in the stretch */
} band_part;

band_part band_in(const band *b, ival in);

/* The position of the piece that is open at the moment; of several, the last one to start.  SIZE_MAX: none is open. */
size_t band_at(const band *b, int64_t moment);

static inline ival band_time(const band *b, size_t position)
{
	return (ival){ b->start[b->item[position]], b->end[b->item[position]] };
}
