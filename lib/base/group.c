#include "base/group.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

/* Compare keys in a loop.  They are so short that a call of memcmp would take longer. */
static bool group_is_same_key(const int64_t *a, const int64_t *b, size_t width)
{
	int64_t differ = 0;

	for (size_t i = 0; i < width; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static size_t group_find_slot(const group *g, const int64_t *key)
{
	uint64_t h = 0;
	size_t k;

	for (size_t i = 0; i < g->width; i++) {
		h = (h ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	for (k = h & (g->slots - 1); g->slot[k]; k = (k + 1) & (g->slots - 1))
		if (group_is_same_key(&g->key[(g->slot[k] - 1) * g->width], key, g->width))
			break;
	return k;
}

size_t group_add(group *g, const int64_t *key)
{
	size_t k;

	if (g->n * 2 >= g->slots) {
		free(g->slot);
		g->slots = g->slots ? g->slots * 2 : 64;
		g->slot = mem_new(size_t, g->slots);
		for (size_t i = 0; i < g->n; i++)
			g->slot[group_find_slot(g, &g->key[i * g->width])] = i + 1;
	}
	k = group_find_slot(g, key);
	if (!g->slot[k]) {
		if (g->n == g->room) {
			g->room = g->room ? g->room * 2 : 32;
			g->key = mem_grow(g->key, g->room * g->width, sizeof *g->key);
		}
		memcpy(&g->key[g->n * g->width], key, g->width * sizeof *key);
		g->slot[k] = ++g->n;
	}
	return g->slot[k] - 1;
}

size_t group_find(const group *g, const int64_t *key)
{
	return g->n ? g->slot[group_find_slot(g, key)] - 1 : GROUP_NONE;  /* 0 - 1 is GROUP_NONE */
}

void group_free(group *g)
{
	mem_free(g->key, g->slot);
	*g = (group){ .width = g->width };
}
