/*
 * format - writes tables as text, in five formats.
 *
 *     format_writer w = { .to = stdout, .format = FORMAT_TSV };
 *     format_table(&w, t);                       // once for each table with these columns
 *     if (!format_end(&w, t))
 *         perror("cannot write the table");
 *
 * The header is written with the first rows or by format_header, so that a tool
 * that fails before it has an answer writes nothing.
 */
#pragma once

#include "base/parallel.h"
#include "table/aligned.h"

#include <stdio.h>

enum format { FORMAT_AUTO, FORMAT_TSV, FORMAT_ALIGNED, FORMAT_CSV, FORMAT_JSONL, FORMAT_MD };

typedef struct {
	FILE *to;
	enum format format;     /* not FORMAT_AUTO */
	bool terminal;          /* is `to` a terminal?  Names must not be able to control it */
	int64_t limit;          /* most rows of each group to print; 0: all */
	aligned people;         /* for people: how the table looks, and its rows until format_end */

	size_t rows, hidden;    /* the number of rows that were written, and of those that the limit hid */
	bool headed;            /* was the header written? */
} format_writer;

/* The format with that name, or FORMAT_AUTO if there is none.  format_name: the name of a format. */
enum format format_named(const char *s);
const char *format_name(enum format f);

static inline bool format_for_people(enum format f)
{
	return f == FORMAT_ALIGNED || f == FORMAT_MD;
}

void format_table(format_writer *w, const table *t);
void format_header(format_writer *w, const table *t);

/* Write the rest.  False, with errno set, if anything could not be written.  people.left_out is valid until
 * aligned_free. */
bool format_end(format_writer *w, const table *t);

/* ---- cells, for other writers */

enum { FORMAT_CELL = 400 };

/* The text of a cell, which for a number is in buf; NULL if it is missing. */
const char *format_cell(const table_col *col, table_cell c, char *buf, size_t size);

/* Nanoseconds or bytes for people, in the largest unit in which the number is at least 1: 4.057 ms. */
const char *format_amount(bool bytes, double v, char *buf, size_t size);

/* A moment for people, in full: 6.567123456 s. */
const char *format_moment(int64_t ns, char *buf, size_t size);
