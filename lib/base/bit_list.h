/*
 * bit_list - numbers the marked ones among many things, in less than two bits for each thing.
 *
 *     bit_list r = bit_list_new(100);
 *     bit_list_mark(&r, 7);                         // several threads may mark at once
 *     bit_list_mark(&r, 70);
 *     bit_list_count(&r);
 *     printf("%zu are marked, 70 is number %zu\n", r.n, bit_list_at(&r, 70));       // 2, 1
 *     bit_list_free(&r);
 */
#pragma once

#include "base/bits.h"

#include <stddef.h>

typedef struct {
	uint64_t *bits;
	uint32_t *before;       /* by word of bits: how many are marked in those before it */
	size_t words, n;        /* how many words; how many are marked */
} bit_list;

bit_list bit_list_new(size_t things);
void bit_list_count(bit_list *r);     /* once all are marked */
void bit_list_free(bit_list *r);

static inline void bit_list_mark(bit_list *r, size_t i)
{
	if (!(__atomic_load_n(&r->bits[i / 64], __ATOMIC_RELAXED) >> i % 64 & 1))
		__atomic_fetch_or(&r->bits[i / 64], (uint64_t)1 << i % 64, __ATOMIC_RELAXED);
}

/* How many are marked before it. */
static inline size_t bit_list_at(const bit_list *r, size_t i)
{
	return r->before[i / 64] + bits_set(r->bits[i / 64] & (((uint64_t)1 << i % 64) - 1));
}
