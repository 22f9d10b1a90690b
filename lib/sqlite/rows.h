/*
 * rows - the rows of a table, a few at a time, by several threads.
 *
 *     rows_col c[] = {
 *         { .names = "start", .from_zero = true },
 *         { .names = "globalTid|tid", .null = -1 },
 *         { .names = "text", .text = true },
 *     };
 *     rows_reader r = { .take = take };          // take(ctx, part, batch): see below
 *     rows_read(d, db_find(d, "NVTX_EVENTS"), c, 3, &r, ctx);
 *
 * A table is read in parts, one for each thread, that follow each other in
 * order of row id; the rows of a part come in that order, in batches.  Nothing
 * above this module knows how rows are read: from the pages of a plain file
 * (leaf.h), or through the library, row by row.
 */
#ifndef ROWS_H
#define ROWS_H

#include "sqlite/database.h"
#include "sqlite/leaf.h"

enum { ROWS_COLS = 16, ROWS_BATCH = LEAF_ROWS };      /* columns, and rows of a batch at most */

typedef struct {
	const char *names;   /* the column, or "a|b": the first of them that the table has; NULL: not wanted */
	bool text;           /* else integers */
	int64_t null;        /* what NULL reads as, and every row when the column is absent */
	bool from_zero;      /* leave out rows where this is NULL or negative: before the capture */

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
	/* So many parts are coming, with at most so many rows each (SIZE_MAX: not known), or NULL.
	 * Called a second time when the rows must come anew from the first; all that was taken is void. */
	void (*begin)(void *ctx, size_t parts, const size_t *most);
	bool count;          /* does begin need to know how many rows? */
	void (*take)(void *ctx, size_t part, const rows_batch *b);
} rows_reader;

/* Where the rows of a part go in arrays of all rows; that of the part after the last is how many there
 * may be.  Where their number is not known there is room for a few, to begin with. */
size_t rows_first(const size_t *most, size_t part);

/* Read a table.  One of NULL has no rows: begin is called for no parts.  There are at most d->threads
 * parts.  False, after a complaint, when the file cannot be read. */
bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *r, void *ctx);

#endif
