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
 * pages of a plain file (leaf.h), or row by row through SQLite's library.  If the
 * pages turn out not to be readable, the parts are freed, and `take` gets all rows
 * again from the library.  The library may give rows in the order of an index, unless
 * the row id is read.
 */
#pragma once

#include "base/column.h"
#include "base/parallel.h"
#include "sqlite/database.h"
#include "sqlite/leaf.h"

enum {
	ROWS_COLS = 25,         /* most columns that are read from a table */
	ROWS_BATCH = LEAF_ROWS  /* most rows of a batch */
};

typedef struct {
	const char *names;   /* the name of the column; "a|b": the first of these that the table has; NULL: the column
			      * is not needed */
	bool text;           /* texts or blobs; false: integers */
	int64_t null;        /* the integer that stands for NULL; every row has it if the table lacks the column */
	bool from_zero;      /* leave out rows whose value is NULL or negative, because they precede the capture.  If
			      * the table lacks the column, leave out all its rows.  For one column at most */
	bool id;             /* read the row id instead of a column; not if another column has from_zero */

	bool found;          /* set by rows_read: does the table have the column? */
} rows_col;

typedef struct {
	const char *s;       /* NULL: the value is NULL; has no NUL at its end; valid until `take` returns */
	size_t len;
} rows_text;

typedef struct {
	size_t n;            /* number of rows */
	const int64_t *ints[ROWS_COLS]; /* by column and row; an element is NULL for a column that is not needed or has
					 * texts */
	const rows_text *texts[ROWS_COLS];      /* by column and row; NULL for a column that is not needed or has
						 * integers */
} rows_batch;

/* A part is a struct of the reader's own that begins with this.  Each part is read by one thread. */
typedef struct {
	size_t first;        /* where the part's rows begin in the reader's arrays, which hold the rows of all parts */
	size_t n;            /* how many rows the reader has put there so far; the reader counts them */
} rows_part;

typedef struct {
	size_t part_size;                       /* bytes of the reader's struct; rows_read sets all of them to zero */
	void (*free_part)(void *part);          /* frees what the struct of a part holds; NULL: nothing to free */
	void (*take)(void *ctx, void *part, const rows_batch *b);      /* takes a batch of rows; several threads may
								        * call it at the same time, for different
								        * parts */
	const char *kept;                       /* what the reader's arrays hold, for messages; NULL: the reader has no
						 * arrays for all parts */
	void (*room)(void *ctx, size_t rows);   /* makes room for so many rows in these arrays altogether */
} rows_reader;

typedef struct {
	char *v;             /* the parts (rows_part_at) */
	size_t n;            /* number of parts */
	size_t size;         /* bytes of a part */
	size_t base;         /* number of rows that the arrays hold before this table is read; set by the caller */
	void (*free_part)(void *part);
} rows_parts;

#define rows_part_at(type, parts, i) ((type *)(void *)((parts)->v + (size_t)(i) * (parts)->size))

/* Read a table, in at most `threads` threads and parts.  If t is NULL, there are no rows and no parts.  `ctx` is passed
 * to the reader's functions.  False after a problem: the file cannot be read, or the arrays would hold more rows than
 * 32 bits can number. */
bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *reader, void *ctx,
	       int threads, rows_parts *parts);
void rows_parts_free(rows_parts *parts);

/* An upper bound for the number of rows of a table; 0: t is NULL, the table has no rows, or no bound is known. */
size_t rows_at_most(const db *d, const db_table *t);

/* Close the gaps that the parts left between their rows in the arrays, which are the n columns c.  Returns how many
 * rows the arrays then hold. */
size_t rows_close_gaps(const rows_parts *parts, const column *c, size_t n);
