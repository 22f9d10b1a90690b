/* Compares what a band says of random stretches with what looking at every piece says: band SEED.  Prints what differs. */
#include "tui/band.h"

#include <stdio.h>

enum { MOST = 700, END = 3000 };

static int64_t start[MOST], end[MOST];

static int64_t at_random(int64_t below)
{
	return (int64_t)((double)rand() / ((double)RAND_MAX + 1) * (double)below);
}

/* Pieces in order of start; some overlap, some have no length, some start together. */
static band make(size_t n)
{
	uint32_t *items = mem_new(uint32_t, n);
	int64_t at = 0, longest = 1 + at_random(60);

	for (size_t i = 0; i < n; i++) {
		at += at_random(12);
		start[i] = at;
		end[i] = at + at_random(longest);
		items[i] = (uint32_t)i;
	}
	return band_new(start, end, items, n);
}

static int64_t covered(size_t n, ival in)
{
	int64_t ns = 0, until = in.a;

	for (size_t i = 0; i < n; i++) {
		int64_t a = start[i] > until ? start[i] : until, b = end[i] < in.b ? end[i] : in.b;
		if (b > a) {
			ns += b - a;
			until = b;
		}
	}
	return ns;
}

static int64_t inside(size_t i, ival in)
{
	return (end[i] < in.b ? end[i] : in.b) - (start[i] > in.a ? start[i] : in.a);
}

static void compare(const band *b, ival in)
{
	band_part p = band_sum_up(b, in);
	int64_t most = -1, reach = INT64_MIN;
	bool any = false;

	for (size_t i = 0; i < b->n; i++) {
		bool here = start[i] < in.b && (end[i] > in.a || start[i] >= in.a);
		any |= here;
		most = here && inside(i, in) > most ? inside(i, in) : most;
		reach = start[i] < in.a && end[i] > reach ? end[i] : reach;
	}
	if (p.busy != covered(b->n, in))
		printf("busy %lld, not %lld\n", (long long)p.busy, (long long)covered(b->n, in));
	if (any != (p.n > 0) || (any && p.longest_ns != most))
		printf("n %zu, longest %lld, not %lld\n", p.n, (long long)p.longest_ns, (long long)most);
	if (band_find_latest_end(b, in.a) != reach)
		printf("reach %lld, not %lld\n", (long long)band_find_latest_end(b, in.a), (long long)reach);
}

static void compare_at(const band *b, int64_t moment)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < b->n; i++)
		if (start[i] <= moment && end[i] > moment)
			last = i;
	if (band_find_open(b, moment) != last)
		printf("at %lld: %zu, not %zu\n", (long long)moment, band_find_open(b, moment), last);
}

int main(int argc, char **argv)
{
	srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	for (int round = 0; round < 200; round++) {
		band b = make((size_t)at_random(MOST));
		for (int k = 0; k < 100; k++) {
			int64_t from = at_random(END);
			compare(&b, (ival){ from, from + 1 + at_random(k % 2 ? END : 40) });
			compare_at(&b, at_random(END));
		}
		band_free(&b);
	}
	return 0;
}
