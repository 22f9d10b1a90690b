/*
 * arena - texts that are freed together.
 *
 *     arena texts = { 0 };
 *     const char *name = arena_printf(&texts, "step %d", 4);
 *     const char *copy = arena_text(&texts, name, strlen(name));
 *     arena_free(&texts);                        // name and copy are gone
 *
 * One thread at a time may add to an arena.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct {
	struct arena_block *blocks;     /* filled one after the other */
	char *at;                       /* where the next text goes, */
	size_t left;                    /* and the room there */
} arena;

char *arena_text(arena *a, const char *s, size_t len);     /* a copy, with a NUL */
char *arena_copy(arena *a, const char *s);                 /* NULL: NULL */
char *arena_printf(arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void arena_free(arena *a);

#endif
