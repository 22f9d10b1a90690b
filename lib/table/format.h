/*
 * format - writes tables as text, in five formats.
 *
 *     format_writer w = { .to = stdout, .format = FORMAT_TSV };
 *     format_table(&w, t);                       // once for each table with these columns
 *     if (!format_end(&w, t))
 *         perror("cannot write the table");
 *
 * The header is written with the first rows or by format_header, so a tool that fails before it has an answer writes
 * nothing.
 */
#pragma once

#include "base/parallel.h"
#include "table/aligned.h"

#include <stdio.h>

/* FORMAT_AUTO: the user chose no format. */
enum format { FORMAT_AUTO, FORMAT_TSV, FORMAT_ALIGNED, FORMAT_CSV, FORMAT_JSONL, FORMAT_MD };

typedef struct {
	FILE *to;
	enum format format;     /* not FORMAT_AUTO */
	bool terminal;          /* is `to` a terminal?  If so, names must not be able to control it */
	int64_t limit;          /* the most rows of each group (table_group) to print; 0: all */
	aligned people;         /* FORMAT_ALIGNED and FORMAT_MD: how the table is to look, and its rows until format_end
				 * prints them */

	size_t rows;            /* number of rows that were written, or kept in `people` */
	size_t hidden;          /* number of rows that the limit left out */
	bool headed;            /* was the header written? */
} format_writer;

/* The format with that name; FORMAT_AUTO: there is none. */
enum format format_named(const char *s);
const char *format_name(enum format f);

static inline bool format_for_people(enum format f)
{
	return f == FORMAT_ALIGNED || f == FORMAT_MD;
}

/* Write the groups of a table, and before the first of them the header, unless it was written before. */
void format_table(format_writer *w, const table *t);

/* Write the header, unless it was written before. */
void format_header(format_writer *w, const table *t);

/* Write what is left.  False, with errno set: something could not be written.  Afterwards, people.left_out lists the
 * columns that did not fit on the screen (aligned.h), until aligned_free. */
bool format_end(format_writer *w, const table *t);

/* ---- cells, for other writers */

enum { FORMAT_CELL = 400 };     /* enough bytes for any number */

/* The text of a cell; NULL if it is missing.  The text of a number is in buf. */
const char *format_cell(const table_col *col, table_cell c, char *buf, size_t size);

/* Bytes or nanoseconds for people, in the largest unit in which the number is at least 1: 4.057 ms. */
const char *format_amount(bool bytes, double v, char *buf, size_t size);

/* A moment for people, in full: 6.567123456 s. */
const char *format_moment(int64_t ns, char *buf, size_t size);
