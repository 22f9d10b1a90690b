/* base/sort.h */
#include "unit.h"

#include "base/memory.h"
#include "base/sort.h"

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return sort_3way(v[a], v[b]);
}

CASE(what_is_in_order_needs_no_order)
{
	int64_t v[] = { 1, 2, 2, 9 };

	YES(sort_order(4, by_value, v) == NULL);
	YES(sort_order(0, by_value, v) == NULL);
	YES(sort_order(1, by_value, v) == NULL);
}

CASE(an_order_sorts)
{
	int64_t *v = mem_new(int64_t, 4);
	uint32_t *order;

	for (int i = 0; i < 4; i++)
		v[i] = (int64_t[]){ 7, -3, 9, 1 }[i];
	order = sort_order(4, by_value, v);
	sort_apply(v, order, 4);
	EQ(-3, v[0]);
	EQ(1, v[1]);
	EQ(7, v[2]);
	EQ(9, v[3]);
	mem_free(v, order);
}

CASE(equal_ones_keep_their_order)
{
	int64_t v[] = { 5, 1, 5, 1, 5 };
	uint32_t *order = sort_all(5, by_value, v), expected[] = { 1, 3, 0, 2, 4 };

	for (int i = 0; i < 5; i++)
		EQ(expected[i], order[i]);
	free(order);
}

CASE(sort_all_gives_an_order_where_none_is_needed)
{
	int64_t v[] = { 1, 2, 3 };
	uint32_t *order = sort_all(3, by_value, v);

	for (uint32_t i = 0; i < 3; i++)
		EQ(i, order[i]);
	free(order);
}

CASE(some_items_of_many)
{
	int64_t v[] = { 9, 8, 7, 6, 5 };
	uint32_t items[] = { 0, 4, 2 };

	sort_items(items, 3, by_value, v);
	EQ(4, items[0]);
	EQ(2, items[1]);
	EQ(0, items[2]);
}

CASE(many_random_numbers)
{
	enum { N = 100000 };
	uint32_t *v = mem_new(uint32_t, N), x = 1;
	uint64_t before = 0, after = 0;
	size_t wrong = 0;

	for (size_t i = 0; i < N; i++) {
		x = x * 1664525 + 1013904223;
		v[i] = x >> 12;
		before += v[i];
	}
	sort_numbers(v, N);
	for (size_t i = 0; i < N; i++) {
		wrong += i && v[i - 1] > v[i];
		after += v[i];
	}
	EQ(0, wrong);
	EQ(before, after);
	free(v);
}

typedef struct {
	int64_t *key;
	uint32_t *tie;
} keyed;

static int by_key_and_tie(uint32_t a, uint32_t b, const void *ctx)
{
	const keyed *k = ctx;

	return k->key[a] != k->key[b] ? sort_3way(k->key[a], k->key[b]) : sort_3way(k->tie[a], k->tie[b]);
}

/* Sort the items 2, 3, 4 ... by random keys from `least` to least + range - 1; about one item in ten has the key
 * least + range / 2.  Returns how many neighbors are in the wrong order, plus 1 if an item is missing. */
static size_t count_wrong_neighbors(size_t n, uint64_t range, int64_t least)
{
	enum { FIRST = 2 };
	keyed k = { mem_new(int64_t, n + FIRST), mem_new(uint32_t, n + FIRST) };
	uint32_t *items = mem_new(uint32_t, n);
	uint64_t x = 88172645463325252u;
	size_t wrong = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		items[i] = (uint32_t)(i + FIRST);
		k.key[items[i]] = (int64_t)((uint64_t)least + (x % 10 ? x % range : range / 2));
		k.tie[items[i]] = (uint32_t)(x >> 40);
	}
	sort_items_by(items, n, k.key, by_key_and_tie, &k);
	for (size_t i = 0; i < n; i++) {
		wrong += i && by_key_and_tie(items[i - 1], items[i], &k) > 0;
		sum += items[i];
	}
	wrong += sum != (uint64_t)n * (n - 1) / 2 + (uint64_t)n * FIRST;
	mem_free(k.key, k.tie, items);
	return wrong;
}

CASE(random_keys)
{
	EQ(0, count_wrong_neighbors(2, 1000, -500));
	EQ(0, count_wrong_neighbors(100, 3, 0));
	EQ(0, count_wrong_neighbors(10000, (uint64_t)1 << 36, (int64_t)1 << 60));
	EQ(0, count_wrong_neighbors(10000, UINT64_MAX, INT64_MIN));
	EQ(0, count_wrong_neighbors(10000, (uint64_t)1 << 61, -((int64_t)1 << 60)));
}

CASE(groups_in_their_order)
{
	uint32_t group[] = { 2, 0, 2, 0, 0 }, expected[] = { 1, 3, 4, 0, 2 }, *order;
	size_t first[4];

	order = sort_groups(group, 5, 3, first);
	for (int i = 0; i < 5; i++)
		EQ(expected[i], order[i]);
	for (int i = 0; i < 4; i++)
		EQ(((size_t[]){ 0, 3, 3, 5 })[i], first[i]);
	free(order);
}

CASE(groups_without_those_left_out)
{
	uint32_t kind[] = { 2, 0, 2, 1, 0 }, of[] = { 1, UINT32_MAX, 0 }, expected[] = { 0, 2, 1, 4 }, *order;
	size_t first[3];

	order = sort_groups_of(kind, of, 5, 2, first);
	for (int i = 0; i < 4; i++)
		EQ(expected[i], order[i]);
	for (int i = 0; i < 3; i++)
		EQ(((size_t[]){ 0, 2, 4 })[i], first[i]);
	free(order);
}

typedef struct {
	int64_t v[6];
	size_t swaps;
} nearly_sorted;

static int by_nearly_sorted_value(uint32_t a, uint32_t b, const void *ctx)
{
	const nearly_sorted *n = ctx;

	return sort_3way(n->v[a], n->v[b]);
}

static void swap(uint32_t a, uint32_t b, void *ctx)
{
	nearly_sorted *n = ctx;
	int64_t was = n->v[a];

	n->v[a] = n->v[b];
	n->v[b] = was;
	n->swaps++;
}

CASE(neighbours_are_swapped)
{
	nearly_sorted n = { .v = { 1, 3, 2, 4, 6, 5 } };

	YES(sort_nearly(6, n.v, by_nearly_sorted_value, swap, &n));
	for (int i = 0; i < 6; i++)
		EQ(i + 1, n.v[i]);
	EQ(2, n.swaps);
}

CASE(what_falls_too_often_is_not_swapped)
{
	nearly_sorted n = { .v = { 1, 0, 3, 2, 5, 4 } };

	NO(sort_nearly(6, n.v, by_nearly_sorted_value, swap, &n));
	EQ(0, n.swaps);
}

CASE(what_is_far_from_its_place_is_given_up)
{
	nearly_sorted n = { .v = { 6, 5, 4, 3, 2, 1 } };

	NO(sort_nearly(6, n.v, by_nearly_sorted_value, swap, &n));
}
