#include "base/dict.h"
#include "base/memory.h"

#include <string.h>

/* The slot of the value, or the free slot where it belongs. */
static size_t dict_find_slot(const dict *d, int64_t value)
{
	uint64_t h = (uint64_t)value * 0x9e3779b97f4a7c15u;
	size_t k = (h >> 32 ^ h) & (d->slots - 1);

	while (d->slot[k] && d->value[d->slot[k] - 1] != value)
		k = (k + 1) & (d->slots - 1);
	return k;
}

uint32_t dict_find(const dict *d, int64_t value)
{
	return d->slots ? d->slot[dict_find_slot(d, value)] - 1 : DICT_NONE;  /* 0 - 1 is DICT_NONE */
}

uint32_t dict_add(dict *d, int64_t value)
{
	size_t k;

	if (d->n * 2 >= d->slots) {
		free(d->slot);
		d->slots = d->slots ? d->slots * 2 : 64;
		d->slot = mem_new(uint32_t, d->slots);
		for (size_t i = 0; i < d->n; i++)
			d->slot[dict_find_slot(d, d->value[i])] = (uint32_t)i + 1;
	}
	k = dict_find_slot(d, value);
	if (!d->slot[k]) {
		if (d->n == d->room) {
			d->room = d->room ? d->room * 2 : 32;
			d->value = mem_grow(d->value, d->room, sizeof *d->value);
		}
		d->value[d->n++] = value;
		d->slot[k] = (uint32_t)d->n;
	}
	return d->slot[k] - 1;
}

void dict_free(dict *d)
{
	mem_free(d->value, d->slot);
	memset(d, 0, sizeof *d);
}
