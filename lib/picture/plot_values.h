/*
 * plot_values - which column of numbers is worth drawing.
 *
 *     plot_names values = { 0 };
 *     if (plot_take_values(&look, false, &values))
 *         printf("%s, which %s\n", values.v[0], column_adds_up(values.v[0]) ? "adds up" : "does not add up");
 *     vec_free(&values);
 */
#ifndef PLOT_VALUES_H
#define PLOT_VALUES_H

#include "picture/plot_columns.h"
#include "table/column_about.h"

/* The columns that --y names, or the best there is; adds: it shall add up to a bar.  False after a problem. */
bool plot_take_values(const plot_look *c, bool adds, plot_names *values);

/* The best column of numbers, or NULL. */
const char *plot_best_number(const plot_look *c, bool adds);

/* Take columns that add up to a whole, such as busy_ns and idle_ns, if there are such. */
bool plot_take_whole(const plot_look *c, plot_names *values);

/* Does the column say where a row is, not how much? */
bool plot_is_place(const char *name);

/* Is the name in a list that ends with NULL? */
bool plot_listed(const char *const *list, const char *name);

#endif
