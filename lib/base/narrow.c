#include "base/narrow.h"
#include "base/memory.h"

narrow narrow_new(size_t n, size_t limit)
{
	if (limit > UINT16_MAX + 1)
		return (narrow){ .many = mem_new(uint32_t, n) };
	return (narrow){ .few = mem_new(uint16_t, n) };
}

narrow narrow_of(uint32_t *v, size_t n, size_t limit)
{
	narrow all = { .many = v };

	if (limit > UINT16_MAX + 1)
		return all;
	all = (narrow){ .few = mem_grow(NULL, n, sizeof *all.few) };
	for (size_t i = 0; i < n; i++)
		all.few[i] = (uint16_t)v[i];
	free(v);
	return all;
}

void narrow_free(narrow *all)
{
	mem_free(all->few, all->many);
	*all = (narrow){ NULL, NULL };
}
