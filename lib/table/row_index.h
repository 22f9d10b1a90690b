/*
 * row_index - finds rows of a table by the value of a column, or by process and time.
 *
 *     row_index index = { .t = t };
 *     size_t lo, hi;
 *     const uint32_t *rows = row_index_by(&index, 0);    // all rows, in order of the first column; NULL: of no use
 *     if (rows && row_index_equal(&index, 0, (table_cell){ .i = 7 }, &lo, &hi))
 *         printf("%zu rows have 7 there, the first is row %u\n", hi - lo, (unsigned)rows[lo]);
 *     row_index_free(&index);
 *
 * An order is computed when it is first needed.  Rows are numbered as in table_at.
 */
#pragma once

#include "table/table.h"

typedef struct {
	const table *t;
	vec(uint32_t *) by;             /* by column: the rows sorted by it, or NULL */

	int pid, start, end;            /* columns of the order by time; pid -1: no column */
	uint32_t *timed;                /* the rows sorted by process, then start */
	int64_t *reach;                 /* by position in timed: the latest end of the process's rows up to this one */
	vec(size_t) slices;             /* where the rows of each process begin in timed; the last entry is the end */
	bool backwards;                 /* does a row end before it starts? */
} row_index;

/* All rows sorted by a column, missing values first.  NULL if the column does not hold integers or texts. */
const uint32_t *row_index_by(row_index *x, int col);

/* The positions [*lo, *hi) of the rows with this value in the order of row_index_by, which must not be NULL; false if
 * there are none. */
bool row_index_equal(row_index *x, int col, table_cell value, size_t *lo, size_t *hi);

/* Prepare for row_index_during.  start and end are columns of integers; pid is one too, or -1.  Only the first call has
 * an effect. */
void row_index_times(row_index *x, int pid, int start, int end);

/* Bounds on the times of rows, all inclusive. */
typedef struct {
	int64_t start_from, start_to, end_from, end_to;
} row_index_span;

/* Find positions [*lo, *hi) in `timed` that contain all rows of a process within the bounds, and perhaps some whose end
 * is out of bounds.  s: the process, an index in `slices`. */
void row_index_during(const row_index *x, size_t s, const row_index_span *span, size_t *lo, size_t *hi);

void row_index_free(row_index *x);
