/*
 * plot_picture - a picture as shapes with their places: what the writers of SVG and of text draw.
 *
 *     picture pic = { .metrics = &metrics };
 *     picture_text(&pic, (picture_place){ 10, 10, 80, PICTURE_LEFT }, PICTURE_LABEL, "a name that may be cut");
 *     picture_add(&pic, (picture_shape){ .type = PICTURE_BOX, .x = 10, .y = 30, .w = 80, .h = 16 })->color = 3;
 *     picture_free(&pic);
 *
 * The unit of lengths is that of the metrics: pixels, or characters of a terminal.
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>

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

typedef struct {
	double x, y;
	double room;            /* a longer text is cut; INFINITY: never */
	enum picture_side side;
} picture_place;

picture_shape *picture_add(picture *to, picture_shape s);
void picture_text(picture *to, picture_place at, enum picture_role role, const char *text);

/* As much of a text as fits, with an ellipsis where the middle is left out: of what is shown this part is its start. */
const char *picture_cut(picture *to, const char *text, double room, double start);

/* Width of a text, as the metrics measure it. */
double picture_width(const picture *p, const char *text);

void picture_free(picture *p);
