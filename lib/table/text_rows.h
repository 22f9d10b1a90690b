/*
 * text_rows - a TSV or CSV text as rows of fields.
 *
 *     text_rows r = { 0 };
 *     if (text_rows_read(stdin, "standard input", &r, say))
 *         for (size_t i = 0; i < r.ends.n; i++)
 *             puts(text_rows_field(&r, i, 0));
 *     text_rows_free(&r);
 *
 * A text with a tab in its first line is TSV, in which the escapes \t \n \r \\ are
 * decoded; anything else is CSV, read with libcsv.  A byte order mark is skipped.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"

#include <stdio.h>

typedef struct {
	vec(const char *) fields;       /* of all rows */
	vec(size_t) ends;               /* by row: where its fields end */
	vec(size_t) lines;              /* by row: its line in the file, */
	bool csv;                       /* or in CSV its number, because quoted fields may contain line ends */
	char *text;                     /* holds the fields of TSV and JSON, */
	arena texts;                    /* and those of CSV */
	bool *quoted;                   /* of JSON, by column: is one of its values a string?  else NULL */
} text_rows;

/* name is what messages call the file.  False after a problem. */
bool text_rows_read(FILE *f, const char *name, text_rows *r, notes *say);

/* The two halves of that: load a text and return where it begins, behind a byte order mark, NULL after a
 * problem; and take it apart. */
char *text_rows_load(FILE *f, const char *name, text_rows *r, notes *say);
bool text_rows_split(char *text, const char *name, text_rows *r, notes *say);

/* Take a text that was split as CSV apart again, as TSV. */
void text_rows_as_tsv(char *text, text_rows *r);

/* Where a row, such as the header, has this field; -1: nowhere. */
int text_rows_column(const text_rows *r, size_t row, const char *name);

void text_rows_free(text_rows *r);

static inline size_t text_rows_begin(const text_rows *r, size_t row)
{
	return row ? r->ends.v[row - 1] : 0;
}

static inline size_t text_rows_width(const text_rows *r, size_t row)
{
	return r->ends.v[row] - text_rows_begin(r, row);
}

/* A field of a row; NULL if the row has no such column. */
static inline const char *text_rows_field(const text_rows *r, size_t row, int col)
{
	return col < 0 || (size_t)col >= text_rows_width(r, row) ? NULL :
		r->fields.v[text_rows_begin(r, row) + (size_t)col];
}
