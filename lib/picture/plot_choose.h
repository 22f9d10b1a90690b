/*
 * plot_choose - which columns of tables a picture is made of, and of what kind it is.
 *
 *     plot_choice c = { 0 };
 *     if (plot_choose(&rows, &params, &c, say))
 *         printf("kind %d, a bar for each %s\n", (int)c.kind, c.label.n ? c.label.v[0]->name : "row");
 *     plot_choice_free(&c);
 *
 * What the user does not choose follows from what columns are (column_about) and from what tells rows apart.
 */
#pragma once

#include "picture/plot_rows.h"

typedef struct {
	enum plot_kind kind;
	plot_columns values;    /* numbers to draw; of a timeline none */
	plot_columns label;     /* what names a bar or a lane; none: the row's own number, or the panel's name */
	plot_columns panel;     /* what has a panel of its own */
	plot_columns rank;      /* what has a row of panels of its own */
	const plot_column *color;       /* the category; NULL: the values' names, or none */
	const plot_column *along;       /* the axis of numbers; NULL: the number of the row */
	const plot_column *until;       /* of a timeline: the end, which along is the start of */
	const plot_column *tile_end;    /* of lines: the end of the tile of time that a row is about; NULL: of none */
	const plot_column *unit;        /* says the unit of each row, or NULL */
	const plot_column *metric;      /* the same, in brackets at the end of its text */
	const plot_column *last_resort; /* names a lane of which the label has nothing to say; or NULL */
	bool table_in_label;    /* of several tables each has a bar of its own, else panels */
	bool upright;
	bool sums;              /* can values be added up?  of lines: is a tile without a row one that has 0? */
} plot_choice;

bool plot_choose(plot_rows *r, const plot_params *p, plot_choice *to, notes *say);

void plot_choice_free(plot_choice *c);
