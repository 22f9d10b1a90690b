/*
 * near - for each of many things an earlier one, which is usually close: two bytes each.
 *
 *     near all = near_new(8);                  // nothing has an earlier one yet
 *     near_fars far = { 0 };
 *     near_put(&all, &far, 7, 5);              // several threads may, each with its own far, of different things
 *     near_end(&all, &far);                    // takes it; the later of two that were put for one thing counts
 *     printf("%u\n", near_at(&all, 7));        // UINT32_MAX: there is none
 *     near_free(&all);
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEAR_NONE = 0, NEAR_FAR = UINT16_MAX };

typedef struct {
	uint32_t of, at;
} near_far;

typedef vec(near_far) near_fars;

typedef struct {
	uint16_t *back;         /* how far before it, NEAR_NONE or NEAR_FAR */
	near_fars far;          /* the others, in order */
} near;

near near_new(size_t n);
void near_put_far(near_fars *far, uint32_t of, uint32_t at);
void near_end(near *all, near_fars *far);
uint32_t near_far_at(const near *all, size_t i);
void near_free(near *all);

static inline void near_put(near *all, near_fars *far, uint32_t of, uint32_t at)
{
	bool is_far = at >= of || of - at >= NEAR_FAR;

	all->back[of] = (uint16_t)(at == UINT32_MAX ? NEAR_NONE : is_far ? NEAR_FAR : of - at);
	if (is_far && at != UINT32_MAX)
		near_put_far(far, of, at);
}

static inline uint32_t near_at(const near *all, size_t i)
{
	uint16_t back = all->back[i];

	return back == NEAR_NONE ? UINT32_MAX : back == NEAR_FAR ? near_far_at(all, i) : (uint32_t)i - back;
}
