/*
 * rows - the rows of a table, a few at a time, by several threads.
 *
 *     rows_col c[] = {
 *         { .names = "start", .from_zero = true },
 *         { .names = "globalTid|tid", .null = -1 },
 *         { .names = "text", .text = true },
 *     };
 *     rows_parts parts = { 0 };
 *     if (rows_read(d, db_find(d, "NVTX_EVENTS"), c, 3, &reader, ctx, 1, &parts))
 *         for (size_t i = 0; i < parts.n; i++)
 *             printf("%zu\n", rows_part_at(rows_part, &parts, i)->n);
 *     rows_parts_free(&parts);
 *
 * A table is read in parts, one for each thread, which follow each other in
 * order of row id.  The rows of a part come in that order, in batches, to the
 * reader's function take.  Nothing above this module knows how rows are read:
 * from the pages of a plain file (leaf.h), or row by row through the library.
 */
#pragma once

#include "base/column.h"
#include "base/parallel.h"
#include "sqlite/database.h"
#include "sqlite/leaf.h"

enum { ROWS_COLS = 25, ROWS_BATCH = LEAF_ROWS };      /* at most this many columns, and rows of a batch */

typedef struct {
	const char *names;   /* the column, or "a|b": the first of them that the table has; NULL: not wanted */
	bool text;           /* or a blob; else integers */
	int64_t null;        /* what NULL reads as, and every row if the table lacks the column */
	bool from_zero;      /* leave out rows where it is NULL or negative: before the capture */
	bool id;             /* instead of a column, the row id; not together with from_zero */

	bool found;          /* does the table have the column? */
} rows_col;

typedef struct {
	const char *s;       /* NULL for NULL; not terminated */
	size_t len;
} rows_text;

typedef struct {
	size_t n;
	const int64_t *ints[ROWS_COLS]; /* by column and row */
	const rows_text *texts[ROWS_COLS];
} rows_batch;

/* What one thread reads is a part, a struct of the reader's own that begins with this. */
typedef struct {
	size_t first, n;     /* where its rows begin in arrays of all rows, and how many it has put there */
} rows_part;

typedef struct {
	size_t part_size;                       /* of a part, which is zeroed before its rows come */
	void (*free_part)(void *part);          /* frees what is in it, or NULL */
	void (*take)(void *ctx, void *part, const rows_batch *b);      /* different parts in different threads */
	const char *kept;                       /* what is kept in arrays of all rows, for a message; NULL: nothing */
	void (*room)(void *ctx, size_t rows);   /* makes these arrays so long */
} rows_reader;

typedef struct {
	char *v;
	size_t n, size;      /* how many, and the size of each */
	size_t base;         /* set before: how many rows the arrays hold already */
	void (*free_part)(void *part);
} rows_parts;

#define rows_part_at(type, parts, i) ((type *)(void *)((parts)->v + (size_t)(i) * (parts)->size))

/* Read a table by up to this many threads; there are at most as many parts.  A table that is NULL has no
 * rows and no parts.  False, after a problem, if the file cannot be read or has more rows than 32 bits can
 * number. */
bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *r, void *ctx,
	       int threads, rows_parts *parts);
void rows_parts_free(rows_parts *parts);

/* At most so many rows has a table; 0 if that is not known without reading it. */
size_t rows_most(const db *d, const db_table *t);

/* Each part had room for all its rows, some of which it did not keep: close the holes in these arrays.  How
 * many rows they hold then. */
size_t rows_close(const rows_parts *parts, const column *c, size_t n);
