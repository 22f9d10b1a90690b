/*
 * near - for each of many things an earlier one, which is usually close: two bytes each.
 *
 *     uint32_t *before = mem_none(uint32_t, 8);          // UINT32_MAX: there is none
 *     before[7] = 5;
 *     near all = near_of(before, 8, PAR_ALONE);          // takes it
 *     printf("%u\n", near_at(&all, 7));
 *     near_free(&all);
 */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"

#include <stddef.h>
#include <stdint.h>

enum { NEAR_NONE = 0, NEAR_FAR = UINT16_MAX };

typedef struct {
	uint32_t of, at;
} near_far;

typedef struct {
	uint16_t *back;         /* how far before it, NEAR_NONE or NEAR_FAR; NULL: all are in whole */
	vec(near_far) far;      /* the others, in order */
	uint32_t *whole;
} near;

/* Takes v, and frees it or keeps it.  NULL: nothing has an earlier one. */
near near_of(uint32_t *v, size_t n, par threads);

uint32_t near_far_at(const near *all, size_t i);

static inline uint32_t near_at(const near *all, size_t i)
{
	uint16_t back = all->back ? all->back[i] : NEAR_FAR;

	return back == NEAR_NONE ? UINT32_MAX : back == NEAR_FAR ? near_far_at(all, i) : (uint32_t)i - back;
}

void near_free(near *all);
