/*
 * text_rows - a TSV or CSV text as rows of fields.
 *
 *     text_rows r = { 0 };
 *     if (text_rows_read(stdin, "standard input", &r, say))
 *         for (size_t i = 0; i < r.ends.n; i++)
 *             puts(text_rows_field(&r, i, 0));
 *     text_rows_free(&r);
 *
 * A text with a tab in its first line is TSV, in which the escapes \t \n \r \\ are decoded.  Any other text is CSV,
 * read with libcsv.  A byte order mark is skipped.  json_rows.h also stores JSON in text_rows.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"

#include <stdio.h>

typedef struct {
	vec(const char *) fields;       /* fields of all rows; NULL: a null of JSON */
	vec(size_t) ends;               /* by row: the number of fields of this row and all before it */
	vec(size_t) lines;              /* by row: its line in the file, counted from 1; in CSV the number of the row */
	bool csv;                       /* is it CSV, in which quoted fields may contain line ends? */
	char *text;                     /* the text that was read; holds the fields of TSV */
	arena texts;                    /* holds the fields of CSV and JSON */
	bool *quoted;                   /* JSON, by column: is one of its values a string?  NULL for TSV and CSV */
} text_rows;

/* Read a text and split it into rows.  `name` is the file's name in messages.  False after a problem. */
bool text_rows_read(FILE *f, const char *name, text_rows *r, notes *say);

/* text_rows_read in two parts.  text_rows_load reads the text into r->text, and returns its beginning after any byte
 * order mark; NULL after a problem.  text_rows_split splits it into rows, and changes the text if it is TSV. */
char *text_rows_load(FILE *f, const char *name, text_rows *r, notes *say);
bool text_rows_split(char *text, const char *name, text_rows *r, notes *say);

/* Split a text again, as TSV, after text_rows_split took it for CSV. */
void text_rows_split_as_tsv(char *text, text_rows *r);

/* The position of the field in a row, such as the header, that is equal to this name; -1 if there is none. */
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

/* A field of a row.  NULL: the row has no such column, or the field is a null of JSON. */
static inline const char *text_rows_field(const text_rows *r, size_t row, int col)
{
	return col < 0 || (size_t)col >= text_rows_width(r, row) ? NULL :
		r->fields.v[text_rows_begin(r, row) + (size_t)col];
}
