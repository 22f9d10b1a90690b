#include "base/sort.h"
#include "base/memory.h"
#include "base/search.h"

#include <string.h>

enum {
	MUCH = 8,               /* "much longer" in the comments below: more than so many times as long */
	DIGIT = 11,             /* bits that one pass of sort_items_by_bits sorts by */
};

/* Does a come before b?  The keys decide, if there are any; cmp decides between equal keys. */
static inline bool sort_is_before(uint32_t a, uint32_t b, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	return key && key[a] != key[b] ? key[a] < key[b] : cmp(a, b, ctx) < 0;
}

/* The index of the first item of in[lo,hi) that does not come before x or, with `after`, that comes after x.  The
 * search begins at lo, because the result is usually near. */
static size_t sort_skip_until(const uint32_t *in, size_t lo, size_t hi, uint32_t x, bool after, const int64_t *key,
			      sort_cmp *cmp, const void *ctx)
{
	size_t step = 1, i;

	for (; hi - lo > step; step *= 2) {
		if (after ? sort_is_before(x, in[lo + step], key, cmp, ctx) :
			    !sort_is_before(in[lo + step], x, key, cmp, ctx))
			break;
		lo += step;
	}
	search_first(i, lo, hi - lo > step ? lo + step : hi,
		     after ? sort_is_before(x, in[i], key, cmp, ctx) : !sort_is_before(in[i], x, key, cmp, ctx));
	return i;
}

/* Merge the runs in[lo,mid) and in[mid,hi).  If one is much shorter, a search finds the place of each of its items in
 * the longer one, and the longer one's items between two places are copied together. */
static void sort_merge_runs(const uint32_t *in, size_t lo, size_t mid, size_t hi, uint32_t *out, const int64_t *key,
			    sort_cmp *cmp, const void *ctx)
{
	size_t i = lo, j = mid, k = lo, to;

	for (; (hi - mid) * MUCH < mid - lo && j < hi; out[k++] = in[j++], i = to) {
		to = sort_skip_until(in, i, mid, in[j], true, key, cmp, ctx);
		memcpy(out + k, in + i, (to - i) * sizeof *in);
		k += to - i;
	}
	for (; (mid - lo) * MUCH < hi - mid && i < mid; out[k++] = in[i++], j = to) {
		to = sort_skip_until(in, j, hi, in[i], false, key, cmp, ctx);
		memcpy(out + k, in + j, (to - j) * sizeof *in);
		k += to - j;
	}
	while (i < mid && j < hi)
		out[k++] = sort_is_before(in[j], in[i], key, cmp, ctx) ? in[j++] : in[i++];
	memcpy(out + k, in + i, (mid - i) * sizeof *in);
	memcpy(out + k + (mid - i), in + j, (hi - j) * sizeof *in);
}

/* Merge v[mid,hi) in place into the run before it, which is much longer.  From the last item to the first, each is put
 * in its place, and the items behind that place move up. */
static void sort_merge_short(uint32_t *v, size_t mid, size_t hi, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	size_t n = hi - mid, i;
	uint32_t *own = mem_grow(NULL, n, sizeof *own);

	memcpy(own, v + mid, n * sizeof *own);
	for (; n--; mid = i) {
		size_t lo = mid, end = mid;
		for (size_t step = 1; lo && sort_is_before(own[n], v[lo - 1], key, cmp, ctx); step *= 2) {
			end = lo - 1;
			lo = end > step ? end - step : 0;
		}
		search_first(i, lo, end, sort_is_before(own[n], v[i], key, cmp, ctx));
		memmove(v + i + n + 1, v + i, (mid - i) * sizeof *v);
		v[i + n] = own[n];
	}
	free(own);
}

typedef vec(size_t) run_ends;

/* While there are few runs, and the first is much longer than the second, merge the second into the first in place.  A
 * few events of another kind behind many of one kind make such short runs. */
static void sort_merge_in_place(uint32_t *v, run_ends *ends, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	enum { FEW = 4 };

	while (ends->n > 1 && ends->n <= FEW && (ends->v[1] - ends->v[0]) * MUCH < ends->v[0]) {
		sort_merge_short(v, ends->v[0], ends->v[1], key, cmp, ctx);
		ends->n--;
		memmove(ends->v, ends->v + 1, ends->n * sizeof *ends->v);
	}
}

/* Sort numbers by some of their bits, and keep the order of those in which these bits are equal. */
static void sort_numbers_by_bits(const uint64_t *from, uint64_t *to, size_t n, int shift, int bits)
{
	size_t next[(1 << DIGIT) + 1] = { 0 };
	uint64_t mask = ((uint64_t)1 << bits) - 1;

	for (size_t i = 0; i < n; i++)
		next[(from[i] >> shift & mask) + 1]++;
	for (size_t k = 0; k < mask; k++)
		next[k + 1] += next[k];
	for (size_t i = 0; i < n; i++)
		to[next[from[i] >> shift & mask]++] = from[i];
}

static int sort_count_bits(uint64_t v)
{
	int n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

/* Sort items that are in no order by the bits of their keys, DIGIT bits at a time, the lowest first.  A number of 64
 * bits stands for each item: its low bits are the item's index in `items`, and above them are as many upper bits of its
 * key as fit.  Merging runs of a few items would take four times as long, since it fetches keys from all over
 * memory. */
static void sort_items_by_bits(uint32_t *items, size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	uint64_t *in = mem_grow(NULL, n, sizeof *in), *out = mem_grow(NULL, n, sizeof *out), *was;
	uint32_t *old = mem_grow(NULL, n, sizeof *old);
	int64_t least = INT64_MAX, most = INT64_MIN;
	size_t first = 0;
	int index_bits, key_bits, dropped, end;

	memcpy(old, items, n * sizeof *old);
	for (size_t i = 0; i < n; i++) {
		least = key[items[i]] < least ? key[items[i]] : least;
		most = key[items[i]] > most ? key[items[i]] : most;
	}
	index_bits = sort_count_bits(n - 1);
	key_bits = sort_count_bits((uint64_t)most - (uint64_t)least);
	dropped = index_bits + key_bits > 64 ? index_bits + key_bits - 64 : 0;
	end = index_bits + key_bits - dropped;
	for (size_t i = 0; i < n; i++)
		in[i] = ((uint64_t)key[items[i]] - (uint64_t)least) >> dropped << index_bits | i;
	for (int at = index_bits; at < end; at += DIGIT) {
		sort_numbers_by_bits(in, out, n, at, end - at < DIGIT ? end - at : DIGIT);
		was = in, in = out, out = was;
	}
	for (size_t i = 0; i < n; i++)
		items[i] = old[in[i] & (((uint64_t)1 << index_bits) - 1)];
	for (size_t i = 1; i <= n; i++)         /* cmp decides between items with equal bits */
		if (i == n || in[i] >> index_bits != in[first] >> index_bits) {
			sort_items(items + first, i - first, cmp, ctx);
			first = i;
		}
	mem_free(in, out, old);
}

void sort_items_by(uint32_t *items, size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	enum { SHORT = 16 };            /* runs with a smaller mean length are not worth merging */
	run_ends ends = { 0 };
	uint32_t *in = items, *out, *spare = NULL;

	for (size_t i = 1; i < n && (!key || ends.n <= n / SHORT); i++)
		if (sort_is_before(items[i], items[i - 1], key, cmp, ctx))
			vec_push(&ends, i);
	if (key && ends.n > n / SHORT) {
		vec_free(&ends);
		sort_items_by_bits(items, n, key, cmp, ctx);
		return;
	}
	if (ends.n)
		vec_push(&ends, n);
	sort_merge_in_place(items, &ends, key, cmp, ctx);
	if (ends.n > 1)
		spare = mem_grow(NULL, n, sizeof *spare);
	for (out = spare; ends.n > 1; in = out, out = in == items ? spare : items) {
		size_t lo = 0, runs = 0;
		for (size_t r = 0; r < ends.n; r += 2) {        /* merge each run with the next, if there is one */
			size_t hi = ends.v[r + 1 < ends.n ? r + 1 : r];
			sort_merge_runs(in, lo, ends.v[r], hi, out, key, cmp, ctx);
			ends.v[runs++] = lo = hi;
		}
		ends.n = runs;
	}
	if (in != items)
		memcpy(items, in, n * sizeof *items);
	vec_free(&ends);
	free(spare);
}

void sort_items(uint32_t *items, size_t n, sort_cmp *cmp, const void *ctx)
{
	sort_items_by(items, n, NULL, cmp, ctx);
}

static int sort_compare_numbers(uint32_t a, uint32_t b, const void *unused UNNEEDED)
{
	return sort_3way(a, b);
}

void sort_numbers(uint32_t *v, size_t n)
{
	sort_items(v, n, sort_compare_numbers, NULL);
}

bool sort_nearly(size_t n, const int64_t *key, sort_cmp *cmp, void (*swap)(uint32_t a, uint32_t b, void *ctx),
		 void *ctx)
{
	enum { FEW = 3 };               /* at most one key in FEW is less than the key before it; in random data every
					 * second one is */
	size_t left = n, drops = 0;

	for (size_t i = 1; i < n; i++)
		drops += key[i] < key[i - 1];
	for (size_t i = 1; i < n && drops <= n / FEW; i++)
		for (size_t k = i; k && sort_is_before((uint32_t)k, (uint32_t)k - 1, key, cmp, ctx); k--) {
			if (!left--)
				return false;
			swap((uint32_t)k, (uint32_t)k - 1, ctx);
		}
	return drops <= n / FEW;
}

static uint32_t *sort_all_by(size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	uint32_t *order = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_items_by(order, n, key, cmp, ctx);
	return order;
}

uint32_t *sort_all(size_t n, sort_cmp *cmp, const void *ctx)
{
	return sort_all_by(n, NULL, cmp, ctx);
}

uint32_t *sort_order_by(size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	size_t i = 1;

	while (i < n && !sort_is_before((uint32_t)i, (uint32_t)i - 1, key, cmp, ctx))
		i++;
	return i < n ? sort_all_by(n, key, cmp, ctx) : NULL;
}

uint32_t *sort_order(size_t n, sort_cmp *cmp, const void *ctx)
{
	return sort_order_by(n, NULL, cmp, ctx);
}

uint32_t *sort_groups_of(const uint32_t *kind, const uint32_t *kind_group, size_t n, size_t groups, size_t *first)
{
	size_t *next = mem_new(size_t, groups + 1);
	uint32_t *order = mem_grow(NULL, n, sizeof *order);

	for (size_t i = 0; i < n; i++) {
		uint32_t g = kind_group ? kind_group[kind[i]] : kind[i];
		if (g < groups)
			next[g + 1]++;
	}
	for (size_t k = 0; k < groups; k++)
		next[k + 1] += next[k];
	memcpy(first, next, (groups + 1) * sizeof *first);
	for (size_t i = 0; i < n; i++) {
		uint32_t g = kind_group ? kind_group[kind[i]] : kind[i];
		if (g < groups)
			order[next[g]++] = (uint32_t)i;
	}
	free(next);
	return order;
}

uint32_t *sort_groups(const uint32_t *group, size_t n, size_t groups, size_t *first)
{
	return sort_groups_of(group, NULL, n, groups, first);
}

void sort_gather(void *to, const void *from, size_t size, const uint32_t *order, size_t lo, size_t hi)
{
	switch (size) {
	case 8:
		for (size_t i = lo; i < hi; i++)
			((int64_t *)to)[i] = ((const int64_t *)from)[order[i]];
		break;
	case 4:
		for (size_t i = lo; i < hi; i++)
			((uint32_t *)to)[i] = ((const uint32_t *)from)[order[i]];
		break;
	case 1:
		for (size_t i = lo; i < hi; i++)
			((char *)to)[i] = ((const char *)from)[order[i]];
		break;
	default:
		for (size_t i = lo; i < hi; i++)
			memcpy((char *)to + i * size, (const char *)from + order[i] * size, size);
	}
}

void *sort_applied(void *array, size_t size, const uint32_t *order, size_t n)
{
	void *to;

	if (!order || !array)
		return array;
	to = mem_grow(NULL, n, size);
	sort_gather(to, array, size, order, 0, n);
	free(array);
	return to;
}
