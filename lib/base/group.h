/*
 * group - numbers the distinct keys of rows; a key consists of several integers.
 *
 *     group g = { .width = 2 };
 *     size_t i = group_of(&g, (int64_t[]){ gpu, name });   // g.key[2 * i], g.key[2 * i + 1]
 *     group_free(&g);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
	size_t width;      /* integers in a key */
	int64_t *key;      /* the keys, width integers for each */
	size_t *slot;      /* hash table: the number of a key + 1; 0: free */
	size_t n, room, slots;
	uint32_t recent[1024];  /* recently returned numbers + 1, by a hash of the key; 0: none */
} group;

#define GROUP_NONE SIZE_MAX

size_t group_add(group *g, const int64_t *key);         /* group_of, without looking into `recent` */

/* group_of for a width that the compiler knows; it must be g->width. */
static inline size_t group_of_width(group *g, size_t width, const int64_t *key)
{
	uint64_t mix = 0, differ = 0;
	uint32_t *recent;

	for (size_t i = 0; i < width; i++)
		mix = mix * 0xc2b2ae3d27d4eb4fu + (uint64_t)key[i];
	recent = &g->recent[mix * 0x9e3779b97f4a7c15u >> 54];
	if (*recent) {
		const int64_t *met = &g->key[(*recent - 1) * width];
		for (size_t i = 0; i < width; i++)
			differ |= (uint64_t)(key[i] ^ met[i]);
		if (!differ)
			return *recent - 1;
	}
	size_t k = group_add(g, key);
	*recent = (uint32_t)k + 1;
	return k;
}

static inline size_t group_of(group *g, const int64_t *key)
{
	return group_of_width(g, g->width, key);
}

/* The number of a key, or GROUP_NONE.  Several threads may call this at the same time. */
size_t group_find(const group *g, const int64_t *key);

void group_free(group *g);
