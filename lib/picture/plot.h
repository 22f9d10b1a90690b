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
 * What the user does not choose follows from the columns (plot_choose.c).  Here
 * are values only: plot_layout places them, and knows no tables.
 */
#pragma once

#include "answer/inputs.h"

#include <stdio.h>

enum plot_kind { PLOT_AUTO, PLOT_BARS, PLOT_STACK, PLOT_TIMELINE, PLOT_LINE, PLOT_HIST };

typedef struct {
	unsigned kind;          /* enum plot_kind */
	const char *x, *y, *color;      /* names of columns, or NULL; y may list several */
	const char *title;
	int64_t limit;          /* draw only the first rows of each table; 0: all */
	const bool *keep;       /* by row of a table: is it drawn?  NULL: each is */
	bool from_zero;         /* lines too */
	bool milliseconds;      /* of a timeline, however short */
	bool one_clock;         /* may the traces of a timeline be read, to put them on one clock? */
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
	bool logarithmic;       /* the axis of numbers of a histogram, */
	double rest;            /* and where its last bar begins, which has all values from there on; or NAN */
	bool one_clock;         /* have all panels of a timeline one axis? */
	bool piled;             /* are lines drawn as bars over their tiles of time, one on the other? */
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

/* ---- a picture; the unit of lengths is that of the metrics: pixels, or characters of a terminal */

typedef struct {
	double width;           /* of the picture */
	double line;            /* height of a line of text */
	double heading;         /* the same of the title, */
	double larger;          /* whose letters are so many times wider */
	double bar, lane;       /* thickness of bars that lie, and of lanes; */
	double between;         /* the space between them */
	double tall;            /* height of a panel with standing bars or lines, */
	double low;             /* and of one of many */
	double pad, space;      /* around texts: beside them, and above and below */
	double pixel;           /* the smallest that can be seen, */
	const char *smallest;   /* and what it is called; */
	const char *paler;      /* how it shows that it is covered in part */
	bool inside;            /* may texts stand inside of bars? */
	bool whole;             /* must bars be whole units thick? */
	double inset;           /* of lines from the edge of their panel */
	double narrow;          /* the least width of a panel, */
	double stand;           /* and of a standing bar with its space */
	double swatch;          /* of the legend */
	double (*measure)(const char *s, size_t n);
} picture_metrics;

enum picture_type { PICTURE_BOX, PICTURE_TEXT, PICTURE_RULE, PICTURE_PATH, PICTURE_HIT };

enum picture_role { PICTURE_TITLE, PICTURE_QUIET, PICTURE_LABEL, PICTURE_GRID, PICTURE_AXIS, PICTURE_MARK,
	PICTURE_SWATCH, PICTURE_INSIDE };

enum picture_side { PICTURE_LEFT, PICTURE_MIDDLE, PICTURE_RIGHT };

typedef struct {
	enum picture_type type;
	enum picture_role role;
	double x, y, w, h;      /* a rule goes from (x, y) over w and h; of a text x is where its side is, y its top */
	enum picture_side side;
	unsigned color;         /* of marks and swatches */
	unsigned series;
	double bare;            /* of a mark: the part of it that is not covered, in eighths */
	const char *text;       /* of a text: what is shown; of others: what is said when pointed at, or NULL */
	const char *whole;      /* of a text that was cut: all of it */
	size_t point, points;   /* of a path */
} picture_shape;

typedef struct {
	double x, y;
} picture_point;

typedef struct {
	const picture_metrics *metrics;
	double width, height;
	bool upright;           /* do its bars stand? */
	bool plain;             /* has it one color? */
	const char *title, *about;
	vec(picture_shape) shapes;
	vec(picture_point) points;
	arena texts;
} picture;

void picture_free(picture *p);

/* Places what a plot shows: titles, legend, panels with their axes, and marks.  What is smaller than a pixel is merged
 * with its neighbours: the picture and a remark say so. */
void plot_layout(const plot *p, const picture_metrics *m, picture *to, notes *say);

/* ---- its writers */

extern const picture_metrics plot_svg_metrics;
picture_metrics plot_text_metrics(int columns);

void plot_svg(const picture *p, FILE *to);

/* The picture of an answer, so many pixels wide (0: as wide as they are by default): a table in, SVG out, no text in
 * between.  False, with nothing written, where the table has no rows or no number to draw.
 *
 *     plot_params how = { .kind = PLOT_STACK, .y = "idle_ns", .color = "cause", .title = "Idle time of each step" };
 *     if (!plot_table_svg(gaps, &how, 0, stdout))
 *         puts("nothing to draw");
 */
bool plot_table_svg(const table *t, const plot_params *p, double width, FILE *to);

/* A page with the picture of a plot and the rows of the tables, as many as it holds. */
void plot_html(const plot *shown, const picture *p, const inputs *in, FILE *to, notes *say);

/* color: write with the colors of a terminal; else categories have characters of their own. */
void plot_text(const picture *p, bool color, FILE *to);

/* The files of share/plot, compiled in (text_builtin), by their names without the ending. */
extern const char *const plot_builtin[];
