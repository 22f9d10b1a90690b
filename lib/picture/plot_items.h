/*
 * plot_items - the rows of tables as what is to be drawn: each has a panel, a bar or lane, a category, and numbers.
 *
 *     plot_items items = { 0 };
 *     plot_items_read(in, &params, &choice, &items);
 *     for (size_t i = 0; i < items.all.n; i++)
 *         printf("%s: %g\n", str_at(&items.series, items.all.v[i].series), items.all.v[i].b);
 *     plot_items_free(&items);
 */
#ifndef PLOT_ITEMS_H
#define PLOT_ITEMS_H

#include "picture/plot_choose.h"
#include "base/group.h"

typedef struct {
	uint32_t panel, slot, series;
	double a, b;            /* of a timeline start and end, of a line x and y, of others b is the value */
} plot_item;

typedef struct {
	vec(plot_item) all;
	group panels;           /* of (row, unit, column) */
	str_pool rows, units, cols;     /* what these are called; "" is the only one */
	str_pool slots, series;
	size_t missing;         /* rows without a number */
	str_pool traces, stems; /* all traces by path, and without directory and ending */
	str_pool tables;        /* what the tables are called, in their order */
	const inputs *in;
	const plot_params *p;
	bool full_traces, full_tables;  /* are names of files not enough? */
	arena texts;
} plot_items;

void plot_items_read(const inputs *in, const plot_params *p, const plot_choice *c, plot_items *to);

void plot_items_free(plot_items *items);

/* The value that all rows of all tables have in a column, in words; NULL: they differ, or have none. */
const char *plot_shared(plot_items *items, const char *column, arena *to);

/* A column's name as a person says it: "compute only" for compute_only_ns. */
const char *plot_words(arena *a, const char *column);

#endif
