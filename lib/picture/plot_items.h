/*
 * plot_items - the rows of tables as what is to be drawn: each has a panel, a bar or lane, a category, and numbers.
 *
 *     plot_items items = { 0 };
 *     plot_items_read(&rows, &choice, &items);
 *     for (size_t i = 0; i < items.all.n; i++)
 *         printf("%s: %g\n", str_at(&items.series, items.all.v[i].series), items.all.v[i].b);
 *     plot_items_free(&items);
 */
#pragma once

#include "picture/plot_choose.h"
#include "base/group.h"

typedef struct {
	uint32_t panel, slot, series;
	double a, b;            /* of a timeline start and end, of a line x and y, of others b is the value */
	double end;             /* of a line: where its tile ends; without tiles a */
} plot_item;

typedef struct {
	vec(plot_item) all;
	group panels;           /* of (row, unit, column) */
	str_pool rows, units, cols;     /* what these are called; "" is the only one */
	str_pool slots, series;
	size_t missing;         /* rows without a number, */
	bool unknown;           /* or without one of several */
	const char *windows;    /* what all bars are windows of, which are called by their index; or NULL */
} plot_items;

void plot_items_read(plot_rows *r, const plot_choice *c, plot_items *to);

void plot_items_free(plot_items *items);

typedef struct {
	const uint32_t *panels;         /* by number of an item's panel: that in the plot */
	const uint32_t *series;         /* the same of categories; beyond the plot's: not drawn */
} plot_places;

/* Turn the items into bars with their parts, stretches, points or counts, and name the bars or lanes of each panel, in
 * their order.  Where there are too many, the smaller ones share one. */
void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

/* Bars that are parts of a whole go down from it, one after the other. */
void plot_fall(plot *to, const char *whole);
