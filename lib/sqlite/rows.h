/*
 * rows - the rows of a table, a few at a time, by several threads.
 *
 *     rows_col c[] = {
 *         { .names = "start", .from_zero = true },
 *         { .names = "globalTid|tid", .null = -1 },
 *         { .names = "text", .text = true },
 *     };
 *     bool ok = rows_read(d, db_find(d, "NVTX_EVENTS"), c, 3, &reader, ctx, 4);
 *     puts(ok ? "read" : "d->say has the reason");
 *
 * A table is read in parts, one for each thread, which follow each other in
 * order of row id.  The rows of a part come in that order, in batches, to the
 * reader's function take.  Nothing above this module knows how rows are read: from the pages of
 * a plain file (leaf.h), or row by row through the library.
 */
#ifndef ROWS_H
#define ROWS_H

#include "sqlite/database.h"
#include "sqlite/leaf.h"

enum { ROWS_COLS = 16, ROWS_BATCH = LEAF_ROWS };      /* at most this many columns, and rows of a batch */

typedef struct {
	const char *names;   /* the column, or "a|b": the first of them that the table has; NULL: not wanted */
	bool text;           /* else integers */
	int64_t null;        /* what NULL reads as, and every row if the table lacks the column */
	bool from_zero;      /* leave out rows where it is NULL or negative: before the capture */

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

typedef struct {
	/* Called before the first rows: how many parts are coming, and at most how many rows each has
	 * (SIZE_MAX: not known; most is NULL unless count is set).  If it is called a second time, the rows
	 * come again from the first: forget all that was taken. */
	void (*begin)(void *ctx, size_t parts, const size_t *most);
	bool count;          /* does begin need to know how many rows there are? */
	void (*take)(void *ctx, size_t part, const rows_batch *b);      /* different parts in different threads */
} rows_reader;

/* Where the rows of a part begin in arrays of all rows; for the part after the last, how long such arrays
 * must be.  If the number of rows is not known, that leaves room for a few to begin with. */
size_t rows_first(const size_t *most, size_t part);

/* Read a table by up to this many threads; there are at most as many parts.  A table that is NULL has no
 * rows: begin is called with no parts.  False, after a problem, if the file cannot be read. */
bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *r, void *ctx,
	       int threads);

#endif
