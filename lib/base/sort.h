/*
 * sort - ordering that costs nothing when the order is already there.
 *
 *     uint32_t *order = sort_order(n, by_start, trace);   // a permutation of 0..n-1
 *     sort_apply(start, order, n);                         // start[i] = old start[order[i]]
 *     free(order);
 *
 * The sort finds the runs that are in order and merges them: one pass for a
 * sorted table, one more for each doubling of the number of runs.  It is stable.
 */
#ifndef SORT_H
#define SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int sort_cmp(uint32_t a, uint32_t b, const void *ctx);

/* The permutation that puts 0..n-1 in order, or NULL when they are in order already. */
uint32_t *sort_order(size_t n, sort_cmp *cmp, const void *ctx);

/* Sort the items of an array by cmp. */
void sort_items(uint32_t *items, size_t n, sort_cmp *cmp, const void *ctx);

/* Put 0..n-1 in order by exchanging neighbours, for what is in order but for a few: false when it
 * would take more than n exchanges (some of which were made). */
bool sort_nearly(size_t n, sort_cmp *cmp, void (*swap)(uint32_t a, uint32_t b, void *ctx), void *ctx);

/* Put an array of n elements into the order of a permutation; order NULL leaves it.  It becomes
 * another array, and the old one is freed. */
#define sort_apply(array, order, n) ((array) = sort_applied((array), sizeof *(array), (order), (n)))

void *sort_applied(void *array, size_t size, const uint32_t *order, size_t n);

#define sort_3way(x, y) (((x) > (y)) - ((x) < (y)))

#endif
