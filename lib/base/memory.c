#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((weak)) _Noreturn void mem_exhausted(size_t n UNNEEDED, size_t size UNNEEDED)
{
	__builtin_trap();
}

enum { LARGE_PAGE = 2 << 20 };

/* Large pages save most of the page faults on columns of millions of rows.  Ask for the whole mapping: one
 * that is split in two could only grow by being copied. */
static void ask_for_pages(void *p, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t a = (uintptr_t)p & ~(page - 1), b = (uintptr_t)p + malloc_usable_size(p);

	madvise((void *)a, b - a, advice);
}

static void *checked(void *p, size_t n, size_t size, int advice)
{
	if (!p)
		mem_exhausted(n, size);
	if (size && n > LARGE_PAGE / size)
		ask_for_pages(p, advice);
	return p;
}

void *mem_alloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size), n, size, MADV_HUGEPAGE);
}

/* A new array begins with a large page.  Those of malloc do not: it writes the length before the array, and so takes a
 * small page, before large ones can be asked for.  A rest that would fill most of a large page gets one, a smaller rest
 * takes the small pages that it needs. */
static void *in_large_pages(size_t n, size_t size)
{
	size_t bytes = n * size, rest = bytes % LARGE_PAGE;
	void *p = NULL;

	bytes += rest > LARGE_PAGE / 4 * 3 ? LARGE_PAGE - rest : 0;
	if (bytes < rest || posix_memalign(&p, LARGE_PAGE, bytes) != 0)
		mem_exhausted(n, size);
	madvise(p, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
	return p;
}

static void *grown(void *p, size_t n, size_t size, int advice)
{
	if (size && n > SIZE_MAX / size)
		mem_exhausted(n, size);
	if (!p && advice == MADV_HUGEPAGE && size && n > LARGE_PAGE / size)
		return in_large_pages(n, size);
	return checked(realloc(p, n && size ? n * size : 1), n, size, advice);
}

void *mem_grow(void *p, size_t n, size_t size)
{
	return grown(p, n, size, MADV_HUGEPAGE);
}

void *mem_room(void *p, size_t n, size_t size)
{
	return grown(p, n, size, MADV_NOHUGEPAGE);
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

char *mem_drop(char *from, char *to)
{
	char *a = from + (LARGE_PAGE - (uintptr_t)from % LARGE_PAGE) % LARGE_PAGE;
	char *b = to - (uintptr_t)to % LARGE_PAGE;

	if (a >= b)
		return from;
	madvise(a, (size_t)(b - a), MADV_DONTNEED);
	return b;
}

void mem_trim(void)
{
	malloc_trim(0);
}
