#include "base/memory.h"
#include "cli/errors.h"

#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void *checked(void *p, size_t n, size_t size)
{
	enum { HUGE = 1 << 21, PAGE = 4096 };

	if (!p)
		die(EXIT_FAILED, "out of memory for %zu items of %zu bytes; "
		    "give it more memory or a smaller trace", n, size);
	if (size && n > 4 * HUGE / size) {
		/* columns of millions of rows: ask for large pages, which cost far fewer faults; for the
		 * whole mapping, as one in two halves could grow only by being copied */
		uintptr_t a = (uintptr_t)p & ~(uintptr_t)(PAGE - 1), b = (uintptr_t)p + malloc_usable_size(p);
		madvise((void *)a, b - a, MADV_HUGEPAGE);
	}
	return p;
}

/* What is freed goes back to the system at once: columns come and go while a trace is loaded. */
void mem_setup(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void *mem_alloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size), n, size);
}

void *mem_grow(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		checked(NULL, n, size);
	return checked(realloc(p, n && size ? n * size : 1), n, size);
}

/* The arena: blocks that are filled one after the other, linked so that a
 * leak checker sees them reached. */
static struct block { struct block *next; } *blocks;
static char *at;
static size_t left;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *arena(size_t len)
{
	char *p;

	pthread_mutex_lock(&lock);
	if (len > left) {
		size_t size = len > (1 << 16) ? len : (1 << 16);
		struct block *b = checked(malloc(sizeof *b + size), size, 1);
		b->next = blocks;
		blocks = b;
		at = (char *)(b + 1);
		left = size;
	}
	p = at;
	at += len;
	left -= len;
	pthread_mutex_unlock(&lock);
	return p;
}

char *mem_text(const char *s, size_t len)
{
	char *p = arena(len + 1);

	memcpy(p, s, len);
	p[len] = 0;
	return p;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = arena((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
