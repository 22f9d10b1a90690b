/*
 * dict - numbers the distinct values of a column: 0, 1, 2 ... in order of first appearance.
 *
 *     dict d = { 0 };
 *     uint32_t k = dict_key(&d, globalTid);      // d.value[k] == globalTid
 *     dict_free(&d);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DICT_NONE UINT32_MAX

typedef struct {
	int64_t *value;    /* the distinct values; the number of each, its index here, is called its key */
	uint32_t *slot;    /* hash table of key + 1; 0: free */
	size_t n, room, slots;
	uint32_t recent[256];  /* recently returned keys, by a hash of the value */
} dict;

uint32_t dict_add(dict *d, int64_t value);              /* dict_key, without looking into `recent` */
uint32_t dict_find(const dict *d, int64_t value);       /* DICT_NONE if absent */
void dict_free(dict *d);

static inline uint32_t dict_key(dict *d, int64_t value)
{
	uint32_t *recent = &d->recent[(uint64_t)value * 0x9e3779b97f4a7c15u >> 56];

	if (d->n && d->value[*recent] == value)
		return *recent;
	return *recent = dict_add(d, value);
}
