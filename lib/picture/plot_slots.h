/*
 * plot_slots - the bars of each panel, or the lanes: which there are, in what order, what they are called.
 *
 *     plot_slots s = plot_slots_of(&p, &choice, &items, places, say);
 *     uint32_t bar = plot_slot(&s, 0, items.all.v[0].slot);
 *     puts(bar == PLOT_NO_SLOT ? "not drawn" : p.panels.v[0].slots.v[bar]);
 *     plot_slots_free(&s);
 *
 * Bars that lie have the same places in all panels of a row of the grid, so that
 * they can be compared.  Where there are too many, the smaller ones share one.
 */
#ifndef PLOT_SLOTS_H
#define PLOT_SLOTS_H

#include "picture/plot_parts.h"

#define PLOT_NO_SLOT UINT32_MAX

typedef struct {
	group known;            /* of (space, number of an item's slot) */
	uint32_t *place;        /* by that: its place, or PLOT_NO_SLOT */
	uint32_t *space;        /* by panel: panels with the same have the same bars */
} plot_slots;

plot_slots plot_slots_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

/* The place of an item in a panel. */
uint32_t plot_slot(plot_slots *s, uint32_t panel, uint32_t slot);

void plot_slots_free(plot_slots *s);

#endif
