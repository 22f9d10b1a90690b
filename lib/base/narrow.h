/*
 * narrow - numbers, each in 16 bits if all of them fit.
 *
 *     narrow all = narrow_new(8, 6);             // eight numbers below 6
 *     narrow_put(&all, 7, 5);
 *     printf("%u\n", narrow_at(&all, 7));
 *     narrow_free(&all);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint16_t *few;          /* they are here, */
	uint32_t *many;         /* or, if this is not NULL, here */
} narrow;

/* Room for n numbers below limit, which are 0. */
narrow narrow_new(size_t n, size_t limit);

/* The same, not cleared, and filled here and there. */
narrow narrow_room(size_t n, size_t limit);

/* Room for the numbers that replace those of v: v itself if they need 32 bits, else an array that is not cleared.  Read
 * v until all are put there; then narrow_end frees it if it is not that room. */
narrow narrow_begin(uint32_t *v, size_t n, size_t limit);
void narrow_end(const narrow *all, uint32_t *v);

void narrow_free(narrow *all);

static inline uint32_t narrow_at(const narrow *all, size_t i)
{
	return all->many ? all->many[i] : all->few[i];
}

static inline void narrow_put(const narrow *all, size_t i, uint32_t number)
{
	if (all->many)
		all->many[i] = number;
	else
		all->few[i] = (uint16_t)number;
}
