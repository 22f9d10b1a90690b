/*
 * aligned - a table for people: columns side by side, not wider than the screen, below the values that all rows share.
 *
 *     aligned a = { .width = 80 };
 *     aligned_header(&a, t);
 *     for (size_t i = 0; i < table_rows(t); i++)
 *         aligned_row(&a, t, table_at(t, i));
 *     aligned_print(&a, t, stdout);
 *     if (a.left_out)
 *         fprintf(stderr, "not shown: %s\n", a.left_out);
 *     aligned_free(&a);
 *
 * If there are several rows and all hold the same value in a column, the name and the value of the column move into the
 * caption, the lines above the table.  If the table is still wider than the screen, texts are shortened in the middle.
 * If that is not enough, a single row is written with one column a line; of several rows, the columns with the lowest
 * priority are left out (column_get_priority).  Numbers are never cut.
 *
 * On a screen (ALIGNED_FIGURES), columns without any value are left out, and paths are shown as base names unless two
 * different paths would then look equal.
 */
#pragma once

#include "base/arena.h"
#include "table/table.h"

#include <stdio.h>

/* How numbers are written.  If amounts are written with their unit, the names of their columns lose it. */
enum aligned_numbers {
	ALIGNED_PLAIN,                  /* as programs read them */
	ALIGNED_UNITS,                  /* times and bytes with a unit, such as 4.057 ms; moments (start_ns) in full */
	ALIGNED_FIGURES                 /* amounts with three figures and a unit: 4.06 ms; moments with the digits that
					 * tell them apart */
};

typedef struct {
	bool markdown;
	enum aligned_numbers numbers;
	size_t width;                   /* width of the screen, in characters; 0: the table may be as wide as it
					 * needs */
	bool colors;                    /* is color allowed, for dim names and units and for words such as "high"? */

	const char *left_out;           /* names of the columns that did not fit, or NULL; aligned_free frees it */
	size_t rows;                    /* number of rows that were added */
	vec(char *) cells;              /* texts of all cells as shown, row by row; the first row is the header */
	vec(const char *) first;        /* for each column: the value in the first row below the header, as
					 * ALIGNED_PLAIN writes it */
	vec(bool) varies;               /* for each column: does a row have another value than `first`? */
	arena texts;
} aligned;

/* Add the header, then each row, then print the table.  All tables added to one `a` must have the same columns. */
void aligned_header(aligned *a, const table *t);
void aligned_row(aligned *a, const table *t, const table_cell *row);
void aligned_print(aligned *a, const table *t, FILE *to);
void aligned_free(aligned *a);

/* The terminal color of a word in a column, such as "high" in the column severity, as an SGR number; 0: none. */
int aligned_color(const char *column, const char *word);
