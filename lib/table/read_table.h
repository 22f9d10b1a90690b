/*
 * read_table - reads into memory a table that nsq or another program wrote.
 *
 *     read_table in = { 0 };
 *     if (read_table_named("before.tsv", &in, say)) {
 *         int dur = table_column(&in.rows, "dur_ns");
 *         double x;
 *         for (size_t i = 0; dur >= 0 && i < table_rows(&in.rows); i++)
 *             if (table_number(&in.rows, i, dur, &x))
 *                 printf("%g\n", x);
 *     }
 *     read_table_free(&in);
 *
 * A text that begins with { is jsonl.  Otherwise it is TSV if its first line has a tab, and CSV if not.  As an
 * exception, a single column name above rows with commas is a TSV of one column.  `-` (in jsonl null) is a missing
 * value.  A column holds numbers if all its values are written as numbers (in jsonl, without quotes), unless its name
 * says that it holds text.  In a column of numbers, an empty field is a missing value, too.  Rows keep their order.
 * Mistakes in a table are problems with EXIT_WRONG.
 */
#pragma once

#include "table/table.h"
#include "table/text_rows.h"

#include <sys/types.h>

typedef struct {
	table rows;             /* types 'i', 'n' (a number that is not an int64_t) and 't'; meanings are NULL */
	const char *name;       /* the table's name in messages: 'FILE' with these quotes, or standard input */
	vec(size_t) odd;        /* for each column: if it holds text, but most of its values look like numbers, the row
				 * of the first value that does not; otherwise READ_TABLE_NONE */
	vec(size_t) lines;      /* for each of `rows`: its line in the file; in CSV the number of the row */
	dev_t device;           /* device of the file, or of the pipe, that was read */
	ino_t file;             /* inode of that file or pipe */
	text_rows text;         /* holds the texts */
	arena names;            /* holds `name` */
} read_table;

#define READ_TABLE_NONE SIZE_MAX

/* Read the table in a file, or from standard input for "-".  False after a problem. */
bool read_table_named(const char *path, read_table *to, notes *say);

void read_table_free(read_table *in);

/* Was the table read from the file with this name? */
bool read_table_is_from(const read_table *in, const char *path);

/* Report that a column holds a text where a number is needed.  The column must have type 't'.  Always returns false. */
bool read_table_say_not_number(const read_table *in, int col, notes *say);

/* Add a column that no table_col declares; its unit and its id follow from its name. */
void read_table_add_column(table *t, const char *name, char type);
