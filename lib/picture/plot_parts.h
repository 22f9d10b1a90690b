/*
 * plot_parts - the marks of a picture, from the items: bars with their parts, stretches, points, counts.
 *
 *     plot_marks_of(&p, &choice, &items, (plot_places){ panels, series }, say);
 *     printf("%zu marks in the first panel\n", p.panels.v[0].marks.n);
 */
#ifndef PLOT_PARTS_H
#define PLOT_PARTS_H

#include "picture/plot_items.h"

typedef struct {
	const uint32_t *panels;         /* by number of an item's panel: that in the plot */
	const uint32_t *series;         /* the same of categories; beyond the plot's: not drawn */
} plot_places;

void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

#endif
