/*
 * plot - what a picture of tables shows (its kind, panels, bars or lanes, categories and marks), the picture as shapes
 * with their places, and its writers: SVG, a page of HTML, the characters of a terminal.
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
 * plot_choose.c chooses from the columns what the user did not choose.  A plot holds only values; plot_layout places
 * them, and knows no tables.
 */
#pragma once

#include "answer/inputs.h"

#include <stdio.h>

enum plot_kind { PLOT_AUTO, PLOT_BARS, PLOT_STACK, PLOT_TIMELINE, PLOT_LINE, PLOT_HIST };

typedef struct {
	unsigned kind;          /* enum plot_kind */
	const char *x, *y, *color;      /* names of columns, or NULL; y may list several */
	const char *title;
	int64_t limit;          /* how many rows of each table to draw, the first ones; 0: all */
	const bool *keep;       /* by row of a table: is it drawn?  NULL: all rows are */
	bool from_zero;         /* the axis of values begins at zero even for lines */
	bool milliseconds;      /* the times of a timeline are shown in ms, however short it is */
	bool one_clock;         /* may the traces of a timeline be read, to put them on one clock? */
	const char *falls_from; /* the name of a whole, of which the bars are parts: the whole comes first, and the bars
				 * go down from its height one after the other; NULL: each bar begins at zero */
} plot_params;

/* A bar or a part of one, a stretch of a timeline, a point of a line. */
typedef struct {
	uint32_t series;        /* its category */
	uint32_t slot;          /* its bar or lane, in histograms the number of its bar; 0 in lines */
	double x0, x1;          /* start and end on an axis of numbers; for a point of a line, the stretch of time that
				 * its value is about (its tile), or twice the same x; unused for bars */
	double y0, y1;          /* start and end on the axis of values; unused for timelines */
} plot_mark;

typedef vec(plot_mark) plot_marks;

typedef vec(const char *) plot_slots;   /* bars or lanes by name, in order */

typedef struct {
	const char *name;       /* NULL: there is only one panel */
	const char *unit;       /* the unit of its values: "ns", "bytes", ... or NULL */
	size_t row;             /* its row in the grid of panels; panels of one row share a scale to be comparable */
	const plot_slots *slots;        /* its bars or lanes; panels of one row share them */
	bool below;             /* is there a bar that lies below zero with all its parts? */
	plot_marks marks;
} plot_panel;

typedef struct {
	const char *name;
	unsigned color;         /* a number of plot_colors.h */
} plot_series;

typedef struct {
	enum plot_kind kind;
	const char *title;      /* the user's title, or one of ours without the unit */
	bool titled;            /* is the title complete without a unit: the user's, or that of a comparison? */
	const char *about;      /* what all rows share, in words; or NULL */
	const char *value;      /* title of the axis of values, without the unit */
	const char *across;     /* title of the other axis, without the unit; NULL: none */
	const char *across_unit;        /* the unit of the other axis, if that has numbers */
	bool upright;           /* do bars stand side by side?  otherwise they lie, one below the other */
	bool from_zero;         /* does the axis of values begin at zero, even if no value is near zero? */
	bool logarithmic;       /* is the axis of numbers of a histogram logarithmic? */
	double rest;            /* start of the last bar of a histogram, which counts all larger values too; or NAN */
	bool one_clock;         /* is the time axis of all panels the same? */
	bool piled;             /* are lines drawn as bars over their tiles of time, stacked on each other? */
	bool colored;           /* do colors tell categories apart?  Several have a legend, unless labeled */
	bool labeled;           /* are the bars named by their categories? */

	vec(plot_slots) rows;   /* by row of the grid of panels: the bars or lanes */
	size_t cols;            /* columns of the grid */
	vec(plot_panel) panels;
	vec(plot_series) series;        /* the largest first, the pooled rest last */
	vec(const char *) remarks;      /* sentences about data that is not drawn as the table has it */
	arena texts;
} plot;

/* Remark, in the picture and on stderr, on data that is not drawn as the table has it.  text must live as long as the
 * plot. */
static inline void plot_remark(plot *to, notes *say, const char *text)
{
	vec_push(&to->remarks, text);
	notes_remark(say, "%s", text);
}

/* False after a problem, such as a missing column, no number to draw, or too many panels. */
bool plot_answer(const inputs *in, const plot_params *p, plot *to, notes *say);

void plot_free(plot *p);

/* ---- a picture; the unit of lengths is that of the metrics: pixels, or characters of a terminal */

typedef struct {
	double width;           /* width of the picture */
	double line;            /* height of a line of text */
	double heading;         /* height of the title */
	double larger;          /* how many times wider the letters of the title are */
	double bar, lane;       /* thickness of lying bars, and of lanes */
	double between;         /* space between bars or lanes */
	double tall;            /* height of a panel with standing bars or lines */
	double low;             /* the same if there are many rows of panels */
	double pad, space;      /* pad: space beside texts; space: above and below them */
	double pixel;           /* the smallest length that can be seen */
	const char *smallest;   /* the word for something of this length: "pixel", "character" */
	const char *paler;      /* words for the look of a pixel that events cover only in part */
	bool inside;            /* may texts stand inside of bars? */
	bool whole;             /* must bars be whole units thick? */
	double inset;           /* distance of lines from the edge of their panel */
	double narrow;          /* least width of a panel */
	double stand;           /* least width of a standing bar with its space */
	double swatch;          /* width of a swatch of the legend */
	double (*measure)(const char *s, size_t n);     /* the width of a text of n bytes */
} picture_metrics;

enum picture_type {
	PICTURE_BOX, PICTURE_TEXT,
	PICTURE_RULE,           /* an upright or level line of an axis or grid */
	PICTURE_PATH,           /* a line through points */
	PICTURE_HOVER           /* an invisible area that shows words when pointed at */
};

/* What a shape is for.  PICTURE_QUIET: a text in gray, such as a tick; PICTURE_INSIDE: a text on a mark. */
enum picture_role { PICTURE_TITLE, PICTURE_QUIET, PICTURE_LABEL, PICTURE_GRID, PICTURE_AXIS, PICTURE_MARK,
	PICTURE_SWATCH, PICTURE_INSIDE };

enum picture_side { PICTURE_LEFT, PICTURE_MIDDLE, PICTURE_RIGHT };

typedef struct {
	enum picture_type type;
	enum picture_role role;
	double x, y, w, h;      /* left, top, width, height; for a rule, its start and extent; for a text, the x of its
				 * `side`, and its top */
	enum picture_side side; /* for a text: is x its left end, its middle or its right end? */
	unsigned color;         /* for marks and swatches */
	unsigned series;
	double bare;            /* for pixels with events shorter than a pixel: how many eighths of their time have no
				 * event; otherwise 0 */
	const char *text;       /* the text; for other shapes: the words shown when pointed at, or NULL */
	const char *whole;      /* for a text that was cut: all of it */
	size_t point, points;   /* for a path: its first point, and the number of points */
} picture_shape;

typedef struct {
	double x, y;
} picture_point;

typedef struct {
	const picture_metrics *metrics;
	double width, height;
	bool upright;           /* do its bars stand? */
	bool plain;             /* does it have only one color? */
	const char *title, *about;
	vec(picture_shape) shapes;
	vec(picture_point) points;
	arena texts;
} picture;

void picture_free(picture *p);

/* Place the titles, the legend, the panels with their axes, and the marks of a plot.  Marks smaller than a pixel are
 * merged with their neighbours; the picture and a remark say so. */
void plot_layout(const plot *p, const picture_metrics *m, picture *to, notes *say);

/* ---- its writers */

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

/* color: write with the colors of a terminal; otherwise each category has a character. */
void plot_text(const picture *p, bool color, FILE *to);

/* The files of share/plot, compiled in, by their names without the ending (text_builtin). */
extern const char *const plot_builtin[];
