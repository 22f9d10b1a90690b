/*
 * packed - integers, each in as many bytes as the one that needs most of them.
 *
 *     packed_ints all = { 0 };
 *     packed_push(&all, 97);                     // one byte
 *     packed_push(&all, 1980000000);             // now both have four
 *     printf("%lld of %zu\n", (long long)packed_at(&all, 0), all.n);
 *     packed_free(&all);
 */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
	char *v;
	size_t n, room;         /* how many there are, and how many fit, with as many bytes after them as a word has */
	size_t size;            /* bytes of each */
} packed_ints;

void packed_grow(packed_ints *p, int64_t number);            /* room for one more, which is this */
void packed_free(packed_ints *p);

/* What is left of a number in so many bytes. */
static inline int64_t packed_in(uint64_t number, size_t size)
{
	size_t shift = 64 - 8 * size;

	return (int64_t)(number << shift) >> shift;
}

static inline int64_t packed_at(const packed_ints *p, size_t i)
{
	uint64_t x;

	memcpy(&x, p->v + i * p->size, sizeof x);
	return packed_in(le64toh(x), p->size);
}

/* A whole word is written, of which the next number replaces what is too much. */
static inline void packed_push(packed_ints *p, int64_t number)
{
	uint64_t x = htole64((uint64_t)number);

	if (p->n == p->room || packed_in((uint64_t)number, p->size) != number)
		packed_grow(p, number);
	memcpy(p->v + p->n++ * p->size, &x, sizeof x);
}
