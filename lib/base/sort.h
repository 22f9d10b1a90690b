/*
 * sort - sorting that takes a single pass if the data is already in order.
 *
 *     uint32_t *order = sort_order(n, by_start, trace);   // a permutation of 0..n-1
 *     sort_apply(start, order, n);                         // start[i] = old start[order[i]]
 *     free(order);
 *
 * The sort finds the runs that are in order and merges them: one pass over a sorted table, and one more for each
 * doubling of the number of runs.  Items that have keys and are in no order are sorted by the bits of their keys.  All
 * sorts are stable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int sort_cmp(uint32_t a, uint32_t b, const void *ctx);

/* The permutation that sorts 0..n-1; NULL if they are sorted already. */
uint32_t *sort_order(size_t n, sort_cmp *cmp, const void *ctx);

/* The permutation that sorts 0..n-1; never NULL. */
uint32_t *sort_all(size_t n, sort_cmp *cmp, const void *ctx);

/* Sort an array of items by cmp. */
void sort_items(uint32_t *items, size_t n, sort_cmp *cmp, const void *ctx);

/* Sort numbers. */
void sort_numbers(uint32_t *v, size_t n);

/* sort_items and sort_order for items that have keys: key[i] is the key of item i.  cmp must order items by their keys
 * first, because some items are compared by cmp alone. */
void sort_items_by(uint32_t *items, size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx);
uint32_t *sort_order_by(size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx);

/* Sort rows 0..n-1 by exchanging neighbours, for data that is nearly sorted.  key and cmp are as in sort_items_by.
 * `swap` exchanges everything of two rows, the keys included.  False: too many rows are out of order, and up to n
 * exchanges were made. */
bool sort_nearly(size_t n, const int64_t *key, sort_cmp *cmp, void (*swap)(uint32_t a, uint32_t b, void *ctx),
		 void *ctx);

/* The indices 0..n-1 sorted by group (0 to groups - 1), in their order within each group.  `first` must have room for
 * groups + 1 numbers; it gets the start of each group and the end of the last. */
uint32_t *sort_groups(const uint32_t *group, size_t n, size_t groups, size_t *first);

/* Like sort_groups, but the group of i is kind_group[kind[i]].  Indices with a group above groups - 1 are left out; the
 * array still has room for n. */
uint32_t *sort_groups_of(const uint32_t *kind, const uint32_t *kind_group, size_t n, size_t groups, size_t *first);

/* Reorder an array of n elements by a permutation; NULL leaves it unchanged.  The result is a new array, and the old
 * one is freed. */
#define sort_apply(array, order, n) ((array) = sort_applied((array), sizeof *(array), (order), (n)))

/* Copy elements of `size` bytes: to[i] = from[order[i]] for each i in [lo,hi). */
void sort_gather(void *to, const void *from, size_t size, const uint32_t *order, size_t lo, size_t hi);

void *sort_applied(void *array, size_t size, const uint32_t *order, size_t n);

#define sort_3way(x, y) (((x) > (y)) - ((x) < (y)))
