/*
 * memory - allocation that never fails, and arrays that grow.
 *
 *     int64_t *times = mem_new(int64_t, 10);     // zeroed
 *     vec(int) list = { 0 };
 *     vec_push(&list, 7);                        // list.v[0] == 7, list.n == 1
 *     vec_free(&list);
 *     free(times);
 *
 * Callers need not check for NULL: if memory runs out, mem_exhausted is called and does not return.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

void *mem_alloc(size_t n, size_t size);            /* n * size zeroed bytes */
void *mem_grow(void *p, size_t n, size_t size);    /* realloc to n * size bytes; new ones are not zeroed */
void *mem_filled(size_t n, size_t size, int byte); /* n * size bytes, all set to `byte` */

/* Free several pointers, each of which may be NULL. */
#define mem_free(...) mem_free_list((void *[]){ __VA_ARGS__ }, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_list(void *const *v, size_t n);

/* Give free memory back to the system.  Otherwise each thread keeps the memory that it has freed. */
void mem_trim(void);

/* Called if n items of `size` bytes cannot be allocated.  n and size are 1 if another library could not allocate
 * memory, since it does not say how much.  A program can define this function itself.  The default traps; the one of
 * cli/errors.c prints a message and exits. */
_Noreturn void mem_exhausted(size_t n, size_t size);

#define UNNEEDED __attribute__((unused))  /* for a parameter that a callback gets and need not use */

#define mem_new(type, n) ((type *)mem_alloc((n), sizeof(type)))

/* n elements with all bits set, as in STR_NONE and other marks for a missing value. */
#define mem_none(type, n) ((type *)mem_filled((n), sizeof(type), 0xff))

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
