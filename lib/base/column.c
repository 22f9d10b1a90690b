#include "base/column.h"
#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

static char *column_get_array(const column *c)
{
	char *array;

	memcpy(&array, c->array, sizeof array);
	return array;
}

static void column_set_array(const column *c, void *array)
{
	memcpy(c->array, &array, sizeof array);
}

void column_grow(const column *c, size_t n, size_t rows)
{
	for (size_t i = 0; i < n; i++)
		column_set_array(&c[i], mem_grow(column_get_array(&c[i]), rows, c[i].size));
}

void column_shrink(const column *c, size_t n, size_t rows)
{
	for (size_t i = 0; i < n; i++)
		if (column_get_array(&c[i]))
			column_set_array(&c[i], mem_grow(column_get_array(&c[i]), rows, c[i].size));
}

void column_move(const column *c, size_t n, size_t to, size_t from, size_t rows)
{
	for (size_t i = 0; i < n && to != from; i++)
		if (column_get_array(&c[i]))
			memmove(column_get_array(&c[i]) + to * c[i].size, column_get_array(&c[i]) + from * c[i].size,
				rows * c[i].size);
}

void column_order(const column *c, size_t n, const uint32_t *order, size_t rows)
{
	enum { SIZES = 9 };             /* no element is larger than eight bytes */
	void *spare[SIZES] = { 0 };     /* by element size: the replaced array whose memory is free */

	for (size_t i = 0; order && i < n; i++) {
		size_t size = c[i].size;
		void *from = column_get_array(&c[i]), *to;
		if (!from)
			continue;
		to = spare[size] ? spare[size] : mem_grow(NULL, rows, size);
		sort_gather(to, from, size, order, 0, rows);
		spare[size] = from;
		column_set_array(&c[i], to);
	}
	for (size_t i = 0; i < SIZES; i++)
		free(spare[i]);
}

void column_swap(const column *c, size_t n, size_t a, size_t b)
{
	char kept[8];

	for (size_t i = 0; i < n; i++) {
		char *array = column_get_array(&c[i]);
		if (!array)
			continue;
		memcpy(kept, array + a * c[i].size, c[i].size);
		memcpy(array + a * c[i].size, array + b * c[i].size, c[i].size);
		memcpy(array + b * c[i].size, kept, c[i].size);
	}
}
