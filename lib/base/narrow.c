#include "base/narrow.h"
#include "base/memory.h"

enum { FEW = UINT16_MAX + 1 };

narrow narrow_new(size_t n, size_t limit)
{
	return limit > FEW ? (narrow){ .many = mem_new(uint32_t, n) } : (narrow){ .few = mem_new(uint16_t, n) };
}

narrow narrow_room(size_t n, size_t limit)
{
	return limit > FEW ? (narrow){ .many = mem_room(NULL, n, sizeof(uint32_t)) } :
		(narrow){ .few = mem_room(NULL, n, sizeof(uint16_t)) };
}

narrow narrow_begin(uint32_t *v, size_t n, size_t limit)
{
	return limit > FEW ? (narrow){ .many = v } : (narrow){ .few = mem_grow(NULL, n, sizeof(uint16_t)) };
}

void narrow_end(const narrow *all, uint32_t *v)
{
	if (all->many != v)
		free(v);
}

void narrow_free(narrow *all)
{
	mem_free(all->few, all->many);
	*all = (narrow){ NULL, NULL };
}
