#include "base/column.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <string.h>

static char *array_of(const column *c)
{
	char *array;

	memcpy(&array, c->array, sizeof array);
	return array;
}

static void set_array(const column *c, void *array)
{
	memcpy(c->array, &array, sizeof array);
}

void column_grow(const column *c, size_t n, size_t rows)
{
	for (size_t i = 0; i < n; i++)
		set_array(&c[i], mem_grow(array_of(&c[i]), rows, c[i].size));
}

void column_move(const column *c, size_t n, size_t to, size_t from, size_t rows)
{
	for (size_t i = 0; i < n && to != from; i++)
		if (array_of(&c[i]))
			memmove(array_of(&c[i]) + to * c[i].size, array_of(&c[i]) + from * c[i].size, rows * c[i].size);
}

typedef struct {
	const column *c;
	const uint32_t *order;
	size_t rows;
} order_job;

static void order_one(void *ctx, size_t i)
{
	order_job *j = ctx;

	set_array(&j->c[i], sort_applied(array_of(&j->c[i]), j->c[i].size, j->order, j->rows));
}

void column_order(const column *c, size_t n, const uint32_t *order, size_t rows, int threads)
{
	if (order)
		par_do(threads, n, order_one, &(order_job){ c, order, rows });
}

void column_swap(const column *c, size_t n, size_t a, size_t b)
{
	char kept[8];

	for (size_t i = 0; i < n; i++) {
		char *array = array_of(&c[i]);
		if (!array)
			continue;
		memcpy(kept, array + a * c[i].size, c[i].size);
		memcpy(array + a * c[i].size, array + b * c[i].size, c[i].size);
		memcpy(array + b * c[i].size, kept, c[i].size);
	}
}
