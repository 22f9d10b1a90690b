/*
 * plot_columns - looks at the columns that tables share: which are there, what they hold, what they tell apart, and
 * which numbers are worth drawing.
 *
 *     arena texts = { 0 };
 *     plot_look look = { .in = in, .p = &params, .texts = &texts, .say = say };
 *     plot_names none = { 0 };
 *     if (plot_is_number(&look, "dur_ns"))
 *         printf("%zu lengths\n", plot_distinct(&look, &none, "dur_ns"));
 *     str_free(&look.pool);
 *     arena_free(&texts);
 */
#ifndef PLOT_COLUMNS_H
#define PLOT_COLUMNS_H

#include "picture/plot.h"

typedef vec(const char *) plot_names;

typedef struct {
	const inputs *in;
	const plot_params *p;
	size_t rows;            /* of all tables, as far as they are drawn */
	bool by_table;          /* are rows of different tables told apart? */
	str_pool pool;          /* numbers texts */
	arena *texts;           /* for messages */
	notes *say;
} plot_look;

/* Do all tables have the column?  Is it a number in all, or a text in some, with a value somewhere? */
bool plot_has(const plot_look *c, const char *name);
bool plot_is_number(const plot_look *c, const char *name);
bool plot_is_text(const plot_look *c, const char *name);

/* The first of a list of names that is a text, or NULL. */
const char *plot_first_text(const plot_look *c, const char *const *list);

/* Is there the column that an option names, and is it a number?  False after a problem.  name NULL: none is asked
 * for. */
bool plot_check(const plot_look *c, const char *option, const char *name);
bool plot_check_number(const plot_look *c, const char *option, const char *name);

/* A number that stands for the value of a cell, -1 for a missing text. */
int64_t plot_key(plot_look *c, const read_table *t, size_t row, const char *name);

/* The number of different values of these columns together, and of one more or NULL. */
size_t plot_distinct(plot_look *c, const plot_names *names, const char *more);

/* Add a column to a list if rows differ in it that the list does not tell apart; is it added? */
bool plot_tell_by(plot_look *c, plot_names *list, const char *name);

/* Does an option name the column? */
bool plot_used(const plot_look *c, const char *name);

/* The columns that --y names, or the best there is; adds: it shall add up to a bar.  False after a problem. */
bool plot_take_values(const plot_look *c, bool adds, plot_names *values);

/* The best column of numbers, or NULL. */
const char *plot_best_number(const plot_look *c, bool adds);

/* Take columns that add up to a whole, such as busy_ns and idle_ns, if there are such. */
bool plot_take_whole(const plot_look *c, plot_names *values);

/* Does the column say where a row is, not how much? */
bool plot_is_place(const char *name);

/* How many rows of a table are drawn. */
static inline size_t plot_rows(const read_table *t, const plot_params *p)
{
	size_t n = table_rows(&t->rows);

	return p->limit && (size_t)p->limit < n ? (size_t)p->limit : n;
}

static inline bool plot_draws(const plot_params *p, size_t row)
{
	return !p->keep || p->keep[row];
}

#endif
