/*
 * plot_choose - which columns of tables a picture is made of, and of what kind it is.
 *
 *     plot_choice c = { 0 };
 *     if (plot_choose(in, &params, &c, say))
 *         printf("kind %d, a bar for each %s\n", (int)c.kind, c.label.n ? c.label.v[0] : "row");
 *     plot_choice_free(&c);
 *
 * The columns are named, because several tables may have them in other places.
 */
#ifndef PLOT_CHOOSE_H
#define PLOT_CHOOSE_H

#include "picture/plot_columns.h"

typedef struct {
	enum plot_kind kind;
	plot_names values;      /* numbers to draw; of a timeline none */
	plot_names label;       /* what names a bar or a lane; none: the row's own number, or the panel's name */
	plot_names panel;       /* what has a panel of its own */
	plot_names rank;        /* what has a row of panels of its own */
	const char *color;      /* the category; NULL: the values' names, or none */
	const char *along;      /* the axis of numbers of a line or histogram; NULL: the number of the row */
	const char *unit;       /* the column that says the unit of each row, or NULL */
	bool table_in_label;    /* of several tables each has a bar of its own, else panels */
	bool upright;
	bool sums;              /* can values be added up? */
	arena texts;
} plot_choice;

bool plot_choose(const inputs *in, const plot_params *p, plot_choice *to, notes *say);

void plot_choice_free(plot_choice *c);

#endif
