/*
 * aligned - a table for people: what all rows share above it, columns side by side, as wide as the screen.
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
 * A column that holds the same in all of two or more rows is not in the table: a line above it, the caption, says its
 * name and value.  Where the rest is wider than the screen, texts are shortened in the middle; if that is not enough,
 * one row is written a column a line, and of more rows the least telling columns are left out (column_about.h).
 * Numbers are never cut.
 */
#pragma once

#include "base/arena.h"
#include "table/table.h"

#include <stdio.h>

typedef struct {
	bool markdown;
	bool human;                     /* times and bytes have a unit, which their names then lack */
	size_t width;                   /* of the screen; 0: as wide as the rows are */
	bool dim;                       /* may what is not a value be dim? */

	const char *left_out;           /* names of columns that found no place, or NULL; freed with the rest */
	size_t rows;
	vec(char *) cells;              /* as shown, header first */
	vec(const char *) first;        /* the values of the first row */
	vec(bool) varies;               /* by column: does some other row hold something else? */
	arena texts;
} aligned;

void aligned_header(aligned *a, const table *t);
void aligned_row(aligned *a, const table *t, const table_cell *row);
void aligned_print(aligned *a, const table *t, FILE *to);
void aligned_free(aligned *a);
