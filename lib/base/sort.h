/*
 * sort - sorting that takes a single pass if the data is already in order.
 *
 *     uint32_t *order = sort_order(n, by_start, trace);   // a permutation of 0..n-1
 *     sort_apply(start, order, n);                         // start[i] = old start[order[i]]
 *     free(order);
 *
 * The sort finds the runs that are in order and merges them: one pass over a
 * sorted table, and one more for each doubling of the number of runs.  It is stable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int sort_cmp(uint32_t a, uint32_t b, const void *ctx);

/* The permutation that sorts 0..n-1, or NULL if they are in order already. */
uint32_t *sort_order(size_t n, sort_cmp *cmp, const void *ctx);

/* The same, but never NULL. */
uint32_t *sort_all(size_t n, sort_cmp *cmp, const void *ctx);

/* Sort an array of items by cmp. */
void sort_items(uint32_t *items, size_t n, sort_cmp *cmp, const void *ctx);

/* Sort numbers. */
void sort_numbers(uint32_t *v, size_t n);

/* Sort items by their keys, which cmp compares first too; it is asked only where they are equal.  So with
 * those of sort_nearly. */
void sort_items_by(uint32_t *items, size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx);

/* Sort 0..n-1 by swapping neighbours, for data that is nearly in order.  Returns false, with some swaps made, if it
 * would take more than n. */
bool sort_nearly(size_t n, const int64_t *key, sort_cmp *cmp, void (*swap)(uint32_t a, uint32_t b, void *ctx),
		 void *ctx);

/* The indices 0..n-1 by group (0 to groups - 1), those of a group in their order.  first has room for groups + 1: where
 * each group begins, and at the end where the last one ends. */
uint32_t *sort_groups(const uint32_t *group, size_t n, size_t groups, size_t *first);

/* The same by of[group[i]]. */
uint32_t *sort_groups_of(const uint32_t *group, const uint32_t *of, size_t n, size_t groups, size_t *first);

/* Reorder an array of n elements by a permutation (NULL: leave it alone).  It becomes a new array, and the
 * old one is freed. */
#define sort_apply(array, order, n) ((array) = sort_applied((array), sizeof *(array), (order), (n)))

/* The same into another array, for the indices [lo,hi) of it. */
void sort_gather(void *to, const void *from, size_t size, const uint32_t *order, size_t lo, size_t hi);

void *sort_applied(void *array, size_t size, const uint32_t *order, size_t n);

#define sort_3way(x, y) (((x) > (y)) - ((x) < (y)))
