/*
 * row_index - finds rows of a table by the value of a column, or by process and time.
 *
 *     row_index index = { .t = t };
 *     size_t lo, hi;
 *     const uint32_t *rows = row_index_sort_by(&index, 0);    // all rows, in order of the first column, or NULL
 *     if (rows && row_index_find_equal(&index, 0, (table_cell){ .i = 7 }, &lo, &hi))
 *         printf("%zu rows have 7 there, the first is row %u\n", hi - lo, (unsigned)rows[lo]);
 *     row_index_free(&index);
 *
 * An order is computed when it is first needed.  Rows are numbered as in table_at.
 */
#pragma once

#include "table/table.h"

typedef struct {
	const table *t;
	vec(uint32_t *) sorted;         /* for each column: the rows sorted by it, or NULL */

	int pid, start, end;            /* the columns of row_index_times; pid -1: the table has no processes */
	uint32_t *timed;                /* the rows sorted by process, then start; NULL: row_index_times was not
					 * called */
	int64_t *reach;                 /* for each row of `timed`: the latest end of this row and of those before it in
					 * the same process */
	vec(size_t) slices;             /* for each process: the position in `timed` where its rows begin; the last
					 * entry is the number of rows */
	bool backwards;                 /* does some row end before it starts? */
} row_index;

/* All rows sorted by a column, missing values first.  NULL if the column does not hold integers or texts. */
const uint32_t *row_index_sort_by(row_index *x, int col);

/* Find the rows with this value: they are at the positions [*lo, *hi) of row_index_sort_by, which must not be NULL for
 * this column.  False: there are none. */
bool row_index_find_equal(row_index *x, int col, table_cell value, size_t *lo, size_t *hi);

/* Prepare for row_index_find_during.  The columns start and end must hold integers, and so must pid, unless it is -1.
 * Only the first call has an effect. */
void row_index_times(row_index *x, int pid, int start, int end);

/* Bounds on the times of rows, all inclusive. */
typedef struct {
	int64_t start_from, start_to, end_from, end_to;
} row_index_span;

/* Find positions [*lo, *hi) in `timed` that contain all rows of a process within the bounds.  Other rows between them
 * may end outside the bounds.  slice: the process, an index in `slices`. */
void row_index_find_during(const row_index *x, size_t slice, const row_index_span *span, size_t *lo, size_t *hi);

void row_index_free(row_index *x);
