/*
 * arena - strings that are freed together.
 *
 *     arena texts = { 0 };
 *     const char *name = arena_printf(&texts, "step %d", 4);
 *     const char *copy = arena_text(&texts, name, strlen(name));
 *     arena_free(&texts);                        // name and copy are gone
 *
 * Only one thread at a time may add to an arena.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

typedef struct {
	struct arena_block *blocks;     /* newest first */
	char *at;                       /* the place of the next string */
	size_t left;                    /* free bytes at this place */
} arena;

char *arena_text(arena *a, const char *s, size_t len);     /* a NUL-terminated copy */
char *arena_copy(arena *a, const char *s);                 /* NULL if s is NULL */
char *arena_printf(arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void arena_join(arena *a, arena *from);         /* takes over all strings of `from`, and leaves it empty */
void arena_free(arena *a);
