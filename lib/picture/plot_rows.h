/*
 * plot_rows - the rows of tables that a picture is of, as one list, and the columns that all of the tables have.
 *
 *     plot_rows r = { 0 };
 *     plot_rows_take(in, &params, &r);
 *     const plot_column *dur = plot_column_of(&r, "dur_ns");
 *     double x;
 *     for (size_t i = 0; dur && i < r.n; i++)
 *         if (plot_value(&r, i, dur, &x))
 *             printf("%g\n", x);
 *     plot_rows_free(&r);
 */
#pragma once

#include "picture/plot.h"
#include "table/column_about.h"

typedef struct {
	const char *name, *unit;
	const column_about *about;
	bool number, text;      /* is it one in every table or, of a text, in some, with a value in some row? */
	int *at;                /* by table: its position */
} plot_column;

typedef vec(const plot_column *) plot_columns;

typedef struct {
	const inputs *in;
	size_t n, of;           /* how many rows are drawn, of how many */
	vec(uint32_t) table;    /* by row: which table it is of, and which row of that */
	vec(uint32_t) row;
	plot_column *columns;   /* of all tables; most telling first (column_about) */
	size_t ncolumns;
	int *places;            /* all positions */
	str_pool words;         /* numbers the texts of cells */
	str_pool traces, stems; /* all traces by path, and without directory and ending */
	str_pool tables;        /* what the tables are called, in their order */
	bool full_traces;       /* are names of files not enough? */
	arena texts;
} plot_rows;

void plot_rows_take(const inputs *in, const plot_params *p, plot_rows *to);
void plot_rows_free(plot_rows *r);

/* A column that all tables have, or NULL; the same if it holds numbers. */
const plot_column *plot_column_of(const plot_rows *r, const char *name);
const plot_column *plot_number_of(const plot_rows *r, const char *name);

/* The number in a cell; false if it is missing. */
bool plot_value(const plot_rows *r, size_t row, const plot_column *c, double *x);

/* A number that stands for what is in a cell; below 0 if that is nothing. */
int64_t plot_key(plot_rows *r, size_t row, const plot_column *c);

/* How many different values these columns have together, and one more or NULL; tables are told apart. */
size_t plot_distinct(plot_rows *r, const plot_columns *list, const plot_column *more);

/* Add a column, which may be NULL, if rows differ in it that the list does not tell apart; is it added? */
bool plot_tell_by(plot_rows *r, plot_columns *list, const plot_column *c);

/* What a row is called by some columns, in words: "rank 2 · stream 7"; the number of that in a pool.  Where no column
 * has anything to say, the last resort, if any, does. */
uint32_t plot_name(plot_rows *r, size_t row, bool with_table, const plot_columns *by, const plot_column *last_resort,
	str_pool *pool);

/* What all rows share of a column, in words; NULL: they differ, or have none. */
const char *plot_shared(plot_rows *r, const char *column);
