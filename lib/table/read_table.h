/*
 * read_table - reads any table that nsq wrote, or another program, as a value.
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
 * A text that begins with { is jsonl; else a tab in its first line makes it TSV, and anything else is CSV.  `-` (in
 * jsonl null) is a missing value.  A column is a number if all its values are written as one and its name does not say
 * that it holds text; an empty field of such a column is missing too.  Rows stay in the order given.  Mistakes in a
 * table are problems with EXIT_WRONG.
 */
#pragma once

#include "table/table.h"
#include "table/text_rows.h"

#include <sys/types.h>

typedef struct {
	table rows;             /* columns 'i', 'n' (a number that is no int64_t) and 't'; their meaning is NULL */
	const char *name;       /* what messages call it: 'FILE', with its quotes, or standard input */
	vec(size_t) odd;        /* by column: if most of its values are numbers, the row of the first that is
				   none and so makes it text; else READ_TABLE_NONE */
	vec(size_t) lines;      /* by row: its line in the file, or in CSV its number */
	dev_t device;           /* the file that it was read from, */
	ino_t file;             /* or a pipe */
	text_rows text;         /* holds the texts */
	arena names;
} read_table;

#define READ_TABLE_NONE SIZE_MAX

/* Read the table in a file; - is standard input.  False after a problem. */
bool read_table_named(const char *path, read_table *to, notes *say);

void read_table_free(read_table *in);

/* Was it read from the file that has this name? */
bool read_table_is(const read_table *in, const char *path);

/* Report, as a problem, that a column holds a text where a number is needed.  Only for columns 't'. */
bool read_table_not_number(const read_table *in, int col, notes *say);

/* Add a column of a table that was not declared: its unit and its id follow from its name. */
void read_table_add(table *t, const char *name, char type);
