/*
 * mem - allocation that does not fail, and arrays that grow.
 *
 *     int64_t *v = mem_new(int64_t, n);          // zeroed
 *     vec(int) a = { 0 };
 *     vec_push(&a, 7);                           // a.v[0] == 7, a.n == 1
 *     vec_free(&a);
 *
 * When memory runs out the program says so and exits with EXIT_FAILED, so no
 * caller checks for NULL.  Text that lives as long as the process comes from
 * one arena and is never freed.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdlib.h>

void mem_setup(void);                              /* once, before anything is allocated */
void *mem_alloc(size_t n, size_t size);            /* n * size zeroed bytes */
void *mem_grow(void *p, size_t n, size_t size);    /* realloc to n * size bytes */
char *mem_text(const char *s, size_t len);         /* copy in the arena, with a NUL */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define mem_new(type, n) ((type *)mem_alloc((n), sizeof(type)))

#define vec(type) struct { type *v; size_t n, room; }

#define vec_reserve(a, want) \
	do { \
		if ((want) > (a)->room) { \
			size_t vec_room = (a)->room ? (a)->room * 2 : 16; \
			if (vec_room < (want)) \
				vec_room = (want); \
			(a)->v = mem_grow((a)->v, vec_room, sizeof *(a)->v); \
			(a)->room = vec_room; \
		} \
	} while (0)

#define vec_push(a, ...) \
	do { \
		vec_reserve((a), (a)->n + 1); \
		(a)->v[(a)->n++] = __VA_ARGS__; \
	} while (0)

#define vec_free(a) \
	do { \
		free((a)->v); \
		(a)->v = NULL; \
		(a)->n = (a)->room = 0; \
	} while (0)

#endif
