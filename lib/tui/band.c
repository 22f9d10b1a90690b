#include "tui/band.h"
#include "base/search.h"

enum { BAND_BLOCK = 64 };

static int64_t band_measure_piece(const band *b, size_t position)
{
	ival at = band_time(b, position);

	return ns_sub(at.b, at.a);
}

/* Sums of the pieces before a position. */
typedef struct {
	int64_t covered;        /* the time that they cover, ns */
	int64_t reach;          /* their latest end; INT64_MIN: there are none */
	uint32_t last;          /* the position of the piece with that end */
} sums_before;

static void band_add_piece(sums_before *x, const band *b, size_t position)
{
	ival at = band_time(b, position);

	if (at.b > x->reach) {
		x->covered += ns_max(ns_sub(at.b, ns_max(at.a, x->reach)), 0);
		x->reach = at.b;
		x->last = (uint32_t)position;
	}
}

band band_new(const int64_t *start, const int64_t *end, uint32_t *items, size_t n)
{
	band b = { start, end, items, n, mem_new(band_block, n / BAND_BLOCK + 1) };
	sums_before x = { 0, INT64_MIN, 0 };

	for (size_t i = 0; i < n; i++) {
		band_block *k = &b.block[i / BAND_BLOCK];
		if (i % BAND_BLOCK == 0)
			*k = (band_block){ x.covered, x.reach, x.last, (uint32_t)i };
		band_add_piece(&x, &b, i);
		if (band_measure_piece(&b, i) > band_measure_piece(&b, k->longest))
			k->longest = (uint32_t)i;
	}
	if (n % BAND_BLOCK == 0)
		b.block[n / BAND_BLOCK] = (band_block){ x.covered, x.reach, x.last, 0 };
	return b;
}

void band_free(band *b)
{
	mem_free(b->item, b->block);
	*b = (band){ 0 };
}

size_t band_find_from(const band *b, int64_t moment)
{
	size_t i;

	search_first(i, 0, b->n, b->start[b->item[i]] >= moment);
	return i;
}

static sums_before band_sum_before(const band *b, size_t position)
{
	const band_block *k = &b->block[position / BAND_BLOCK];
	sums_before x = { k->covered, k->reach, k->last };

	for (size_t i = position - position % BAND_BLOCK; i < position; i++)
		band_add_piece(&x, b, i);
	return x;
}

/* The time that pieces cover before the moment.  x: the sums of the pieces that start before it.  What they cover
 * after the moment is one stretch, from the moment to their latest end. */
static int64_t band_measure_covered(const sums_before *x, int64_t moment)
{
	return x->covered - ns_max(ns_sub(x->reach, moment), 0);
}

int64_t band_find_latest_end(const band *b, int64_t moment)
{
	return band_sum_before(b, band_find_from(b, moment)).reach;
}

static void band_consider_piece(band_part *p, const band *b, size_t position, ival stretch)
{
	ival part = ival_cut(band_time(b, position), stretch);
	int64_t ns = part.b - part.a;

	if (ns > p->longest_ns || p->longest == SIZE_MAX) {
		p->longest = position;
		p->longest_ns = ns;
	}
}

band_part band_sum_up(const band *b, ival stretch)
{
	size_t from = band_find_from(b, stretch.a), to = band_find_from(b, stretch.b);
	sums_before x = band_sum_before(b, from), y = band_sum_before(b, to);
	bool crosses = x.reach > stretch.a && from;
	band_part p = { .n = to - from + crosses,
			.busy = band_measure_covered(&y, stretch.b) - band_measure_covered(&x, stretch.a),
			.longest = SIZE_MAX };

	if (crosses)
		band_consider_piece(&p, b, x.last, stretch);
	for (size_t i = from; i < to;) {
		size_t longest = b->block[i / BAND_BLOCK].longest;
		bool whole = i % BAND_BLOCK == 0 && i + BAND_BLOCK <= to &&
			band_time(b, longest).b <= stretch.b;
		band_consider_piece(&p, b, whole ? longest : i, stretch);
		i += whole ? BAND_BLOCK : 1;
	}
	return p;
}

/* The loop walks back over the pieces that started after the open piece and have ended already.  They are few,
 * because few pieces overlap. */
size_t band_find_open(const band *b, int64_t moment)
{
	size_t i = band_find_from(b, moment < INT64_MAX ? moment + 1 : moment);

	if (!i || band_sum_before(b, i).reach <= moment)
		return SIZE_MAX;
	while (band_time(b, i - 1).b <= moment)
		i--;
	return i - 1;
}
