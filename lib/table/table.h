/*
 * table - the one table that a tool prints, in five formats.
 *
 *     table t = { 0 };
 *     table_columns(&t, all, "gpu exposed_ns stage");
 *     table_sort(&t, "exposed_ns", true);        // then by all columns, left to right
 *     table_open(&t, TABLE_TSV);
 *     table_int(&t, 693); table_text(&t, "stage2_f"); table_pct(&t, a, b);   // a row's cells
 *     ...
 *     table_flush(&t, limit);                    // the rows since the last flush: sort, cut, print
 *     return table_close(&t);                    // exit status; a lost write is a failure
 *
 * Cells are given in the order of the columns; a row is complete with its last
 * cell.  The header is printed with the first rows, or by table_header, so that
 * a tool that fails before it has an answer prints nothing.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum table_format { TABLE_AUTO, TABLE_TSV, TABLE_ALIGNED, TABLE_CSV, TABLE_JSONL, TABLE_MD };

typedef struct {
	const char *name;
	char type;            /* 'i' integer, 'd' two decimals, 't' text */
	const char *unit;     /* "ns", "%", "bytes", "GB/s" or NULL */
	const char *meaning;
} table_col;

typedef union {
	int64_t i;
	double d;
	const char *t;
} table_cell;

#define TABLE_MISSING INT64_MIN

typedef struct {
	vec(table_col) cols;
	vec(struct { int col; bool down; }) keys;
	vec(table_cell) cells;          /* of the rows not flushed yet */
	enum table_format format;
	vec(char *) kept;               /* TABLE_ALIGNED, TABLE_MD: every cell, until the end */
	size_t rows, cut;               /* printed, left out by the limit */
	bool headed;
	bool given_order;               /* rows are in order as they come */
} table;

/* Add the columns of a table of windows, by name: pid rank start_ns end_ns, the names given,
 * separated by blanks, window trace.  They are described in all (ended by an empty one), except
 * those that mean the same everywhere: gpu ctx stream launch_ns. */
void table_columns(table *t, const table_col *all, const char *names);

void table_add(table *t, const table_col *c);
void table_sort(table *t, const char *column, bool down);
void table_open(table *t, enum table_format f);

void table_int(table *t, int64_t v);            /* TABLE_MISSING: - */
void table_pct(table *t, int64_t part, int64_t whole);     /* of nothing: - */
void table_num(table *t, double v);             /* NaN: - */
void table_text(table *t, const char *s);       /* NULL: -; the text must live until the flush */

/* Print the rows since the last flush, at most limit of them (0: all). */
void table_flush(table *t, int64_t limit);

/* Print the header, unless rows have brought it already. */
void table_header(table *t);

/* Print the columns themselves: name, type, unit, meaning. */
void table_describe(const table *columns, table *out);

/* End the table; complains and returns EXIT_FAILED if anything could not be written. */
int table_close(table *t);

/* The name of a format, TABLE_AUTO if there is none so called. */
enum table_format table_format_named(const char *s);

#endif
