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
 *
 * For a screen (ALIGNED_FIGURES), columns without any value are left out, and paths are base names unless two of them
 * would then be equal.
 */
#pragma once

#include "base/arena.h"
#include "table/table.h"

#include <stdio.h>

/* How numbers are written.  Where amounts have a unit, the names of their columns lack it. */
enum aligned_numbers {
	ALIGNED_PLAIN,                  /* as programs read them */
	ALIGNED_UNITS,                  /* times and bytes with a unit: 4.057 ms; moments whole */
	ALIGNED_FIGURES                 /* amounts with three figures and a unit: 4.06 ms; moments until they differ */
};

typedef struct {
	bool markdown;
	enum aligned_numbers numbers;
	size_t width;                   /* of the screen; 0: as wide as the rows are */
	bool colors;                    /* may names and units be dim, and words that judge have a color? */

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

/* The color of a word of a column on a terminal, as the number of SGR: high of severity, slower of change; 0: none. */
int aligned_color(const char *column, const char *word);
