/*
 * plot - pictures of tables, in three steps.  A `plot` is what a picture shows: its kind, panels, bars or lanes (the
 * rows of a timeline), categories and marks.  A `picture` is a list of shapes, each with its position.  Functions write
 * a picture as SVG, as a page of HTML, or as the characters of a terminal.
 *
 *     plot p = { 0 };
 *     picture pic = { 0 };
 *     plot_params params = { .kind = PLOT_STACK, .color = "cause" };
 *     if (plot_answer(in, &params, &p, say)) {
 *         plot_layout(&p, &plot_svg_metrics, &pic, say);
 *         plot_svg(&pic, stdout);                // ferror tells of a failed write
 *     }
 *     picture_free(&pic);
 *     plot_free(&p);
 *
 * plot_choose.c chooses the kind of the picture and the use of the columns, as far as the user did not.  A plot holds
 * no tables and no positions; plot_layout finds the positions from the plot alone.
 */
#pragma once

#include "answer/inputs.h"

#include <stdio.h>

enum plot_kind { PLOT_AUTO, PLOT_BARS, PLOT_STACK, PLOT_TIMELINE, PLOT_LINE, PLOT_HIST };

typedef struct {
	unsigned kind;          /* enum plot_kind */
	const char *x;          /* the name of a column, or NULL */
	const char *y;          /* the names of columns, separated by commas; or NULL */
	const char *color;      /* the name of a column, or NULL */
	const char *title;      /* NULL: plot_answer makes one */
	int64_t limit;          /* draw only the first `limit` rows of each table; 0: all */
	bool from_zero;         /* the axis of values begins at zero even for lines */
	bool milliseconds;      /* the times of a timeline are shown in ms, however short it is */
	bool one_clock;         /* may plot_answer read the traces that the rows name, to draw them on one clock? */
	const char *falls_from; /* the name of a first bar, which is the sum of the others.  Each of these begins
				 * where the one before it ends, and goes down.  NULL: there is no such bar, and all
				 * begin at zero */
} plot_params;

/* A part of a bar, a stretch of a timeline, or a point of a line. */
typedef struct {
	uint32_t series;        /* index of its category in plot.series */
	uint32_t slot;          /* index of its bar or lane in plot_panel.slots; in histograms the number of its bar,
				 * from 0; in lines 0 */
	double x0, x1;          /* start and end on the other axis than that of values; unused for bars.  A
				 * point of a line has the start and end of the time that its value is about (its tile)
				 * or, without tiles, twice the same x */
	double y0, y1;          /* start and end on the axis of values; unused for timelines */
} plot_mark;

typedef vec(plot_mark) plot_marks;

typedef vec(const char *) plot_slots;   /* the names of bars or lanes, in order */

typedef struct {
	const char *name;       /* its name; NULL: it needs none, because there is only one panel or it is about the
				 * whole step of nsq-diff */
	const char *unit;       /* the unit of its values: "ns", "bytes", ...; or NULL */
	size_t row;             /* its row in the grid of panels; the panels of a row share an axis of values, so
				 * that they can be compared */
	const plot_slots *slots;        /* the names of its bars or lanes: those of its row in plot.rows */
	bool below;             /* do all parts of some bar lie below zero? */
	plot_marks marks;
} plot_panel;

typedef struct {
	const char *name;
	unsigned color;         /* its color, a number of plot_colors.h */
} plot_series;

typedef struct {
	enum plot_kind kind;
	const char *title;      /* the user's title or, without one, a title from the names of columns */
	bool titled;            /* does the title need no unit, because it is the user's or that of a comparison? */
	const char *about;      /* what all rows share, in words: the trace, rank, GPU and window, and the category if
				 * there is only one; or NULL */
	const char *value;      /* title of the axis of values, without the unit */
	const char *across;     /* title of the other axis, without the unit; NULL: none */
	const char *across_unit;        /* the unit of the other axis, if that has numbers */
	bool upright;           /* do bars stand side by side?  otherwise they lie, one below the other */
	bool from_zero;         /* does the axis of values begin at zero, even if no value is near zero? */
	bool logarithmic;       /* for a histogram: is the axis across logarithmic? */
	double rest;            /* for a histogram: the start of the last bar, which counts all larger values, too;
				 * NAN: there is no such bar */
	bool one_clock;         /* do all panels share the axis of time? */
	bool piled;             /* for lines: are they drawn as bars, one over each tile of time, stacked on each
				 * other? */
	bool colored;           /* do colors tell categories apart?  If there are several, a legend names them,
				 * unless `labeled` */
	bool labeled;           /* are the bars named by their categories? */

	vec(plot_slots) rows;   /* by row of the grid of panels: the names of its bars or lanes */
	size_t cols;            /* the number of columns of the grid of panels */
	vec(plot_panel) panels;
	vec(plot_series) series;        /* the categories; those of a column in order of size, the largest first; the
					 * pooled rest last */
	vec(const char *) remarks;      /* sentences about data that is not drawn as the table has it */
	arena texts;
} plot;

/* Add a remark, to the picture and to the notes, about data that is not drawn as the table has it.  text must live
 * as long as the plot. */
static inline void plot_remark(plot *to, notes *say, const char *text)
{
	vec_push(&to->remarks, text);
	notes_remark(say, "%s", text);
}

/* Make the plot of the tables.  False after a problem, such as a missing column, no number to draw, or too many
 * panels. */
bool plot_answer(const inputs *in, const plot_params *p, plot *to, notes *say);

void plot_free(plot *p);

/* ---- a picture; the unit of lengths is that of the metrics: pixels, or characters of a terminal */

typedef struct {
	double width;           /* width of the picture */
	double line;            /* height of a line of text */
	double heading;         /* height of the title */
	double larger;          /* how many times wider the letters of the title are */
	double bar;             /* thickness of lying bars */
	double lane;            /* thickness of lanes */
	double between;         /* space between bars or lanes */
	double tall;            /* height of a panel with standing bars or lines */
	double low;             /* height of such a panel if there are many rows of panels */
	double pad;             /* space to the left and right of texts */
	double space;           /* space above and below texts */
	double pixel;           /* the smallest length that can be seen */
	const char *smallest;   /* what a length of `pixel` is called: "pixel", "character" */
	const char *paler;      /* words that end the sentence about events shorter than `pixel`: how a pixel looks
				 * that is covered in part */
	bool inside;            /* may texts stand inside of bars? */
	bool whole;             /* must the thickness of a bar be a whole number? */
	double inset;           /* distance of lines from the edge of their panel */
	double narrow;          /* least width of a panel */
	double stand;           /* least width of a standing bar and the space beside it */
	double swatch;          /* width of a swatch of the legend */
	double (*measure)(const char *s, size_t n);     /* the width of a text of n bytes */
} picture_metrics;

enum picture_type {
	PICTURE_BOX, PICTURE_TEXT,
	PICTURE_RULE,           /* a vertical or horizontal line of an axis or grid */
	PICTURE_PATH,           /* a line through points */
	PICTURE_HOVER           /* an invisible area that shows a text when pointed at */
};

/* What a shape is for.  PICTURE_QUIET: a text in gray, such as a tick; PICTURE_INSIDE: a text on a mark. */
enum picture_role { PICTURE_TITLE, PICTURE_QUIET, PICTURE_LABEL, PICTURE_GRID, PICTURE_AXIS, PICTURE_MARK,
	PICTURE_SWATCH, PICTURE_INSIDE };

enum picture_side { PICTURE_LEFT, PICTURE_MIDDLE, PICTURE_RIGHT };

typedef struct {
	enum picture_type type;
	enum picture_role role;
	double x, y, w, h;      /* left, top, width, height.  For a rule: its start and its extent to the right or
				 * downwards.  For a text: the x of its `side`, and its top */
	enum picture_side side; /* for a text: is x its left end, its middle or its right end? */
	unsigned color;         /* the color of a mark or a swatch; for PICTURE_INSIDE, of the box under the text */
	unsigned series;        /* the category of a mark or swatch */
	double bare;            /* for a box of events shorter than a pixel: how many eighths of its time have no
				 * event; otherwise 0 */
	const char *text;       /* the text; for other shapes: the text that is shown when they are pointed at, or
				 * NULL */
	const char *whole;      /* for a text that was cut: the whole text; otherwise NULL */
	size_t point;           /* for a path: the index of its first point in picture.points */
	size_t points;          /* for a path: the number of its points */
} picture_shape;

typedef struct {
	double x, y;
} picture_point;

typedef struct {
	const picture_metrics *metrics;
	double width, height;
	bool upright;           /* are values drawn upwards, as in lines and standing bars? */
	bool plain;             /* do all its marks have one color? */
	const char *title, *about;
	vec(picture_shape) shapes;
	vec(picture_point) points;
	arena texts;
} picture;

void picture_free(picture *p);

/* Place the titles, the legend, the panels with their axes, and the marks of a plot.  Marks shorter than a pixel are
 * merged with their neighbours.  If there are too many bars, several become one.  A text in the picture and a remark
 * say so. */
void plot_layout(const plot *p, const picture_metrics *m, picture *to, notes *say);

/* ---- the writers of a picture */

extern const picture_metrics plot_svg_metrics;
picture_metrics plot_text_metrics(int columns);

void plot_svg(const picture *p, FILE *to);

/* Draw a table as SVG, `width` pixels wide (0: the default).  False, with nothing written, if the table has no rows or
 * no number to draw.
 *
 *     plot_params how = { .kind = PLOT_STACK, .y = "idle_ns", .color = "cause", .title = "Idle time of each step" };
 *     if (!plot_table_svg(gaps, &how, 0, stdout))
 *         puts("nothing to draw");
 */
bool plot_table_svg(const table *t, const plot_params *p, double width, FILE *to);

/* Write a page with the picture of a plot, and as many rows of the tables as a page holds. */
void plot_html(const plot *shown, const picture *p, const inputs *in, FILE *to, notes *say);

/* color: write with the colors of a terminal; otherwise each category is drawn with a character of its own. */
void plot_text(const picture *p, bool color, FILE *to);

/* The files of share/plot, compiled in, by their names without the ending (text_find_builtin). */
extern const char *const plot_builtin[];
