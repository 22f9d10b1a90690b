/*
 * plot - what a picture of tables shows: its kind, panels, bars or lanes, categories and marks.
 *
 *     plot p = { 0 };
 *     plot_params params = { .kind = PLOT_STACK, .color = "cause" };
 *     if (plot_answer(in, &params, &p, say))
 *         printf("%zu panels, %zu categories\n", p.panels.n, p.series.n);
 *     plot_free(&p);
 *
 * What the user does not choose follows from the columns (plot_choose.c).  Here
 * are values only: plot_layout places them, and knows no tables.
 */
#pragma once

#include "answer/inputs.h"

enum plot_kind { PLOT_AUTO, PLOT_BARS, PLOT_STACK, PLOT_TIMELINE, PLOT_LINE, PLOT_HIST };

typedef struct {
	unsigned kind;          /* enum plot_kind */
	const char *x, *y, *color;      /* names of columns, or NULL; y may list several */
	const char *title;
	int64_t limit;          /* draw only the first rows of each table; 0: all */
	const bool *keep;       /* by row of a table: is it drawn?  NULL: each is */
	bool from_zero;         /* lines too */
	bool milliseconds;      /* of a timeline, however short */
	const char *falls_from; /* of bars that are parts: what the whole is called, which comes first and from which
	                         * they go down; NULL: each begins at zero */
} plot_params;

/* A bar or a part of one, a stretch of a timeline, a point of a line. */
typedef struct {
	uint32_t series;        /* its category */
	uint32_t slot;          /* its bar or lane; 0 in lines and histograms */
	double x0, x1;          /* where it lies on an axis of numbers; of bars unused; a point stands in the
				 * middle of its tile, or both are the same */
	double y0, y1;          /* from where to where the value goes; of a timeline unused */
} plot_mark;

typedef vec(plot_mark) plot_marks;

typedef vec(const char *) plot_slots;   /* bars or lanes by name, in order */

typedef struct {
	const char *name;       /* NULL: the only one */
	const char *unit;       /* of its values: "ns", "bytes", ... or NULL */
	size_t row;             /* of the grid of panels; those of one row have one scale, */
	const plot_slots *slots;        /* and the same bars or lanes, so that they can be compared */
	bool below;             /* has it a bar that lies below zero as a whole? */
	plot_marks marks;
} plot_panel;

typedef struct {
	const char *name;
	unsigned color;         /* a number of plot_colors.h */
} plot_series;

typedef struct {
	enum plot_kind kind;
	const char *title;      /* unless it was given, without the unit */
	bool titled;            /* was it? */
	const char *about;      /* what all rows share, or NULL */
	const char *value;      /* title of the axis of values, without the unit, */
	const char *across;     /* and of the other; NULL: none */
	const char *across_unit;        /* of an axis of numbers */
	bool upright;           /* do bars stand, because they are many in a row?  else they lie, below each other */
	bool from_zero;         /* does the axis of values begin there, even if no value is near it? */
	bool logarithmic;       /* the axis of numbers of a histogram */
	bool colored;           /* do the categories tell something?  then there is a legend, */
	bool labeled;           /* unless the bars are called by them */

	vec(plot_slots) rows;   /* of the grid of panels: their bars or lanes */
	size_t cols;
	vec(plot_panel) panels;
	vec(plot_series) series;        /* largest first, what was pooled last */
	vec(const char *) remarks;      /* what is not drawn as it is */
	arena texts;
} plot;

/* Remark on what is drawn otherwise than the table says: in the picture and on stderr.  text lives as long as the
 * plot. */
static inline void plot_tell(plot *to, notes *say, const char *text)
{
	vec_push(&to->remarks, text);
	notes_remark(say, "%s", text);
}

/* False after a problem: there is no such column, or no number to draw. */
bool plot_answer(const inputs *in, const plot_params *p, plot *to, notes *say);

void plot_free(plot *p);
