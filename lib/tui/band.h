/*
 * band - the pieces of time in a row of a timeline, in order of start.  For a stretch of time, a band finds how much
 * its pieces cover and how many there are, in O(log n), and the longest of them, in O(n / 64).
 *
 *     int64_t start[] = { 10, 30 }, end[] = { 20, 90 };
 *     uint32_t *items = mem_new(uint32_t, 2);
 *     items[1] = 1;
 *     band b = band_new(start, end, items, 2);
 *     band_part p = band_sum_up(&b, (ival){ 15, 40 });       // busy 15, n 2, longest 1
 *     printf("%lld\n", (long long)p.busy);
 *     band_free(&b);
 *
 * Pieces may overlap; time that several of them cover is counted once.
 */
#pragma once

#include "base/interval.h"
#include "base/memory.h"

typedef struct {                /* BAND_BLOCK (band.c) consecutive pieces; the last block may have fewer, or none */
	int64_t covered;        /* time covered by all pieces before the block, ns */
	int64_t reach;          /* the latest end of the pieces before the block */
	uint32_t last;          /* the position of the piece with that end */
	uint32_t longest;       /* the position of the longest piece in the block */
} band_block;

typedef struct {
	const int64_t *start, *end;     /* the times of items, of which `item` names the pieces; both arrays must
					 * outlive the band */
	uint32_t *item;         /* indices of the pieces in start and end, in order of start; the index of a piece in
				 * this array is called its position */
	size_t n;               /* the number of pieces */
	band_block *block;      /* the blocks of positions 0 to n: position i is in block[i / BAND_BLOCK] */
} band;

/* items: indices into start and end, in order of start; the band frees them. */
band band_new(const int64_t *start, const int64_t *end, uint32_t *items, size_t n);
void band_free(band *b);

/* The position of the first piece that starts at the moment or later; b->n: there is none. */
size_t band_find_from(const band *b, int64_t moment);

/* The latest end of the pieces that start before the moment; INT64_MIN: there is none. */
int64_t band_find_latest_end(const band *b, int64_t moment);

typedef struct {
	size_t n;               /* the number of pieces that start in the stretch, plus 1 if an earlier piece reaches
				 * into it */
	int64_t busy;           /* the part of the stretch that pieces cover, ns */
	size_t longest;         /* the position of the piece with the most time in the stretch; SIZE_MAX: n is 0 */
	int64_t longest_ns;     /* the time of that piece in the stretch, ns */
} band_part;

/* Sum up the pieces in a stretch of time. */
band_part band_sum_up(const band *b, ival stretch);

/* The position of the piece that is open at the moment; if several are, that of the one that started last.
 * SIZE_MAX: none is open. */
size_t band_find_open(const band *b, int64_t moment);

static inline ival band_time(const band *b, size_t position)
{
	return (ival){ b->start[b->item[position]], b->end[b->item[position]] };
}
