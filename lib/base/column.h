/*
 * column - the arrays that hold one table: they are grown, compacted and reordered together.
 *
 *     column c[] = { COLUMN(w->start), COLUMN(w->name) };
 *     column_grow(c, 2, n);                      // each has room for n rows
 *     column_move(c, 2, to, from, rows);         // rows [from,from+rows) are now [to,to+rows)
 *     column_order(c, 2, order, n);      // row i is now the old row order[i]
 *
 * In the prototypes, n is the number of arrays.  An array that is NULL stays NULL, except in column_grow, which
 * allocates it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
	void *array;     /* the address of the pointer to the array */
	size_t size;     /* bytes of one element */
} column;

#define COLUMN(p) { &(p), sizeof *(p) }

void column_grow(const column *c, size_t n, size_t rows);
void column_shrink(const column *c, size_t n, size_t rows);         /* shrink the arrays to this number of rows */
void column_move(const column *c, size_t n, size_t to, size_t from, size_t rows);

/* Reorder the rows; `order` NULL: they stay as they are.  Arrays are replaced one at a time.  A new array takes the
 * memory of a replaced one with elements of the same size, so that few copies exist at the same time. */
void column_order(const column *c, size_t n, const uint32_t *order, size_t rows);

/* Exchange rows a and b. */
void column_swap(const column *c, size_t n, size_t a, size_t b);
