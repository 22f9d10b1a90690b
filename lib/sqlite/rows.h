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
 * order of row id.  The reader's function `take` gets the rows of a part in that
 * order, in batches.  Nothing above this module knows how rows are read: from the
 * pages of a plain file (leaf.h), or row by row through SQLite's library.
 */
#pragma once

#include "base/column.h"
#include "base/parallel.h"
#include "sqlite/database.h"
#include "sqlite/leaf.h"

enum { ROWS_COLS = 25, ROWS_BATCH = LEAF_ROWS };      /* most columns of a table, and most rows of a batch */

typedef struct {
	const char *names;   /* the column; "a|b": the first of these that the table has; NULL: not needed */
	bool text;           /* texts or blobs; false: integers */
	int64_t null;        /* the value of NULL, and of every row if the table lacks the column */
	bool from_zero;      /* leave out rows whose value is NULL or negative: they precede the capture.  Leave out all
			      * rows of a table that lacks the column */
	bool id;             /* read the row id instead of a column; not together with from_zero */

	bool found;          /* set by rows_read: does the table have the column? */
} rows_col;

typedef struct {
	const char *s;       /* NULL: the value is NULL; there is no NUL character at the end */
	size_t len;
} rows_text;

typedef struct {
	size_t n;
	const int64_t *ints[ROWS_COLS]; /* by column and row; NULL: a column that is not needed, or a text */
	const rows_text *texts[ROWS_COLS];
} rows_batch;

/* The beginning of a part, which is a struct of the reader's own.  Each thread reads one part. */
typedef struct {
	size_t first, n;     /* where its rows begin in the reader's arrays, which hold the rows of all parts; how many
			      * it has kept there */
} rows_part;

typedef struct {
	size_t part_size;                       /* size of the reader's struct, which is zeroed first */
	void (*free_part)(void *part);          /* frees what the struct holds, or NULL */
	void (*take)(void *ctx, void *part, const rows_batch *b);      /* threads call it for different parts */
	const char *kept;                       /* what the reader's arrays hold, for messages; NULL: it has no such
						 * arrays */
	void (*room)(void *ctx, size_t rows);   /* makes room for so many rows in these arrays */
} rows_reader;

typedef struct {
	char *v;
	size_t n, size;      /* number of parts, and size of each */
	size_t base;         /* number of rows that the arrays hold before; set by the caller */
	void (*free_part)(void *part);
} rows_parts;

#define rows_part_at(type, parts, i) ((type *)(void *)((parts)->v + (size_t)(i) * (parts)->size))

/* Read a table with at most `threads` threads, and as many parts.  A table that is NULL has no rows and no parts.
 * False after a problem: the file cannot be read, or has more rows than 32 bits can number. */
bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *r, void *ctx,
	       int threads, rows_parts *parts);
void rows_parts_free(rows_parts *parts);

/* An upper bound of the rows of a table; 0: it is unknown without reading the table. */
size_t rows_at_most(const db *d, const db_table *t);

/* Close the gaps that the parts left between their rows in the arrays, which are the n columns c.  Returns how many
 * rows the arrays then hold. */
size_t rows_close_gaps(const rows_parts *parts, const column *c, size_t n);
