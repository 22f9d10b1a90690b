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
	char *at;                       /* where the next string will be written */
	size_t left;                    /* the number of free bytes from `at` on */
} arena;

char *arena_text(arena *a, const char *s, size_t len);     /* a NUL-terminated copy */
char *arena_copy(arena *a, const char *s);                 /* NULL if s is NULL */
char *arena_printf(arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void arena_join(arena *a, arena *from);         /* moves all strings of `from` to a; `from` is then empty */
void arena_free(arena *a);
