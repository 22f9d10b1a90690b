#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>

__attribute__((weak)) _Noreturn void mem_exhausted(size_t n UNNEEDED, size_t size UNNEEDED)
{
	__builtin_trap();
}

static void *memory_check(void *p, size_t n, size_t size)
{
	if (!p)
		mem_exhausted(n, size);
	return p;
}

void *mem_alloc(size_t n, size_t size)
{
	return memory_check(calloc(n ? n : 1, size), n, size);
}

void *mem_grow(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		mem_exhausted(n, size);
	return memory_check(realloc(p, n && size ? n * size : 1), n, size);
}

void *mem_filled(size_t n, size_t size, int byte)
{
	return memset(mem_grow(NULL, n, size), byte, n * size);
}

void mem_free_list(void *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
}

void mem_trim(void)
{
	malloc_trim(0);
}
