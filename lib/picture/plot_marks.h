/*
 * plot_marks - the marks of a picture, from the items: bars with their parts, stretches, points, counts.
 *
 *     plot_marks_of(&p, &choice, &items, (plot_places){ panels, series }, say);
 *     printf("%zu bars, %zu marks in the first panel\n", p.panels.v[0].slots->n, p.panels.v[0].marks.n);
 *
 * Also finds the bars or lanes of each panel, in what order, and what they are called.  Where there are too many, the
 * smaller ones share one.
 */
#ifndef PLOT_MARKS_H
#define PLOT_MARKS_H

#include "picture/plot_items.h"

typedef struct {
	const uint32_t *panels;         /* by number of an item's panel: that in the plot */
	const uint32_t *series;         /* the same of categories; beyond the plot's: not drawn */
} plot_places;

/* Bars that are parts of a whole go down from it, one after the other. */
void plot_fall(plot *to, const char *whole);

void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

#endif
