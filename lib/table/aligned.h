/*
 * aligned - a table for people: columns side by side, as wide as the screen, under a line with what all rows share.
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
 * If two or more rows all hold the same value in a column, the column moves to a line above the table, the caption,
 * with its name and value.  If the table is still wider than the screen, texts are shortened in the middle.  If that is
 * not enough, a single row is written with one column a line; with several rows, the least telling columns are left
 * out (column_about.h).  Numbers are never cut.
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
	ALIGNED_UNITS,                  /* times and bytes with a unit, as 4.057 ms; moments in full */
	ALIGNED_FIGURES                 /* amounts with three figures and a unit: 4.06 ms; moments with the digits that
					 * tell them apart */
};

typedef struct {
	bool markdown;
	enum aligned_numbers numbers;
	size_t width;                   /* width of the screen; 0: as wide as the rows are */
	bool colors;                    /* is color allowed, for dim names and units and for words such as "high"? */

	const char *left_out;           /* names of the columns that did not fit, or NULL; aligned_free frees it */
	size_t rows;                    /* the rows that were added */
	vec(char *) cells;              /* texts of all cells as shown, header first */
	vec(const char *) first;        /* values of the first row */
	vec(bool) varies;               /* by column: does a row differ from the first? */
	arena texts;
} aligned;

void aligned_header(aligned *a, const table *t);
void aligned_row(aligned *a, const table *t, const table_cell *row);
void aligned_print(aligned *a, const table *t, FILE *to);
void aligned_free(aligned *a);

/* The terminal color of a word in a column, such as "high" in severity, as an SGR number; 0: none. */
int aligned_color(const char *column, const char *word);
