#include "base/arena.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

struct arena_block {
	struct arena_block *next;
};

static char *arena_take_bytes(arena *a, size_t len)
{
	char *p;

	if (len > a->left) {
		size_t size = len > BLOCK ? len : BLOCK;
		struct arena_block *b = mem_grow(NULL, sizeof *b + size, 1);
		b->next = a->blocks;
		a->blocks = b;
		a->at = (char *)(b + 1);
		a->left = size;
	}
	p = a->at;
	a->at += len;
	a->left -= len;
	return p;
}

char *arena_text(arena *a, const char *s, size_t len)
{
	char *p = arena_take_bytes(a, len + 1);

	memcpy(p, s, len);
	p[len] = 0;
	return p;
}

char *arena_copy(arena *a, const char *s)
{
	return s ? arena_text(a, s, strlen(s)) : NULL;
}

/* Format a text into the free bytes of the newest block, where most texts fit.  If it does not fit, format it again
 * into a new block. */
char *arena_vprintf(arena *a, const char *fmt, va_list ap)
{
	va_list again;
	size_t size;
	char *p;

	va_copy(again, ap);
	size = (size_t)vsnprintf(a->at, a->left, fmt, again) + 1;
	va_end(again);
	if (size <= a->left)
		return arena_take_bytes(a, size);
	p = arena_take_bytes(a, size);
	vsnprintf(p, size, fmt, ap);
	return p;
}

char *arena_printf(arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

void arena_join(arena *a, arena *from)
{
	struct arena_block **end = a->blocks ? &a->blocks->next : NULL, *rest;

	if (!end) {
		*a = *from;
	} else {                /* the newest block stays first, because it has room left */
		rest = *end;
		for (*end = from->blocks; *end; end = &(*end)->next)
			;
		*end = rest;
	}
	memset(from, 0, sizeof *from);
}

void arena_free(arena *a)
{
	for (struct arena_block *b = a->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	memset(a, 0, sizeof *a);
}
