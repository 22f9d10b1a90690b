/*
 * plot_layout - places what a plot shows: titles, legend, panels with their axes, and marks.
 *
 *     picture pic = { 0 };
 *     plot_layout(&p, &metrics, &pic, say);
 *     printf("%g x %g\n", pic.width, pic.height);
 *     picture_free(&pic);
 *
 * What is smaller than a pixel is merged with its neighbours: the picture and a
 * remark say so.
 */
#pragma once

#include "picture/plot.h"
#include "picture/plot_picture.h"
#include "picture/plot_units.h"

void plot_layout(const plot *p, const picture_metrics *m, picture *to, notes *say);

/* An axis of numbers: from lo at the place a to hi at the place b. */
typedef struct {
	double lo, hi, a, b;
	bool logarithmic;
	const char *unit;       /* the column's, */
	plot_unit shown;        /* and that of its ticks */
	double step;            /* between ticks, in the column's unit; 0: none */
	double label;           /* width of the widest tick's text */
} plot_axis;

double plot_at(const plot_axis *a, double value);

/* How far the axis of a panel goes: that of values, or along. */
void plot_axis_extent(const plot *p, const plot_panel *panel, bool along, plot_axis *a);

/* Choose ticks at round numbers: at most so many, or as many as fit across a width without their texts touching. */
void plot_axis_ticks(const picture *to, plot_axis *a, double most);
void plot_axis_fit(const picture *to, plot_axis *a, double width);

typedef struct {                /* a panel, while it is drawn */
	const plot *p;
	const plot_panel *panel;
	picture *to;
	double x, y, w, h;      /* of the marks */
	bool first;             /* has it none to its left? */
	plot_axis across, up;   /* of values: up, or across where bars lie */
	size_t merged;          /* out: how many bars or events were merged with others */
	size_t each;            /* out: how many bars one is the mean of */
} plot_place;

/* Draw the ticks of an axis and their texts: down: below the panel; else up its left side, in the first column. */
void plot_axis_draw(plot_place *at, const plot_axis *a, bool down);

/* Draw the marks of a panel. */
void plot_draw(plot_place *at);
