/*
 * plot_parts - what the files of a plot share, in the order of the work: rows of tables, the columns that suit, what
 * people call them, items, marks, and shapes with their axes.  For lib/picture/plot*.c alone.
 *
 *     plot_rows rows = { 0 };
 *     plot_choice choice = { 0 };
 *     plot_items items = { 0 };
 *     plot_rows_take(in, &params, &rows);
 *     if (plot_choose(&rows, &params, &choice, say))
 *         plot_items_read(&rows, &choice, &items);
 *     for (size_t i = 0; i < items.all.n; i++)
 *         printf("%s: %g\n", str_at(&items.series, items.all.v[i].series), items.all.v[i].b);
 *     plot_items_free(&items);
 *     plot_choice_free(&choice);
 *     plot_rows_free(&rows);
 */
#pragma once

#include "base/group.h"
#include "picture/plot.h"
#include "table/column_about.h"

/* ---- rows: those of all tables as one list, and the columns that all of the tables have */

typedef struct {
	const char *name, *unit;
	const column_about *about;
	bool number, text;      /* is it one in every table or, of a text, in some, with a value in some row? */
	int *at;                /* by table: its position */
} plot_column;

typedef vec(const plot_column *) plot_columns;

typedef struct {
	const inputs *in;
	size_t n, of;           /* how many rows are drawn, of how many */
	vec(uint32_t) table;    /* by row: which table it is of, and which row of that */
	vec(uint32_t) row;
	plot_column *columns;   /* of all tables; most telling first (column_about) */
	size_t ncolumns;
	int *places;            /* all positions */
	str_pool words;         /* numbers the texts of cells */
	str_pool traces, stems; /* all traces by path, and without directory and ending */
	str_pool tables;        /* what the tables are called, in their order */
	bool full_traces;       /* are names of files not enough? */
	int64_t *ahead;         /* by trace: how much later its times are drawn; NULL: as they are */
	arena texts;
} plot_rows;

void plot_rows_take(const inputs *in, const plot_params *p, plot_rows *to);
void plot_rows_free(plot_rows *r);

/* A column that all tables have, or NULL; the same if it holds numbers. */
const plot_column *plot_column_of(const plot_rows *r, const char *name);
const plot_column *plot_number_of(const plot_rows *r, const char *name);

/* The number in a cell; false if it is missing. */
bool plot_value(const plot_rows *r, size_t row, const plot_column *c, double *x);

/* A number that stands for what is in a cell; below 0 if that is nothing. */
int64_t plot_key(plot_rows *r, size_t row, const plot_column *c);

/* The number of a row's trace in traces; 0 if it has none. */
uint32_t plot_trace_of(plot_rows *r, size_t row);

/* Is a row of nsq-diff about the whole step, of which the others are parts? */
bool plot_is_step(const plot_rows *r, size_t row);

/* How many different values these columns have together, and one more or NULL; tables are told apart. */
size_t plot_distinct(plot_rows *r, const plot_columns *list, const plot_column *more);

/* Add a column, which may be NULL, if rows differ in it that the list does not tell apart; is it added? */
bool plot_tell_by(plot_rows *r, plot_columns *list, const plot_column *c);

/* What a row is called by some columns, in words: "rank 2 · stream 7"; the number of that in a pool.  Where no column
 * has anything to say, the last resort, if any, does. */
uint32_t plot_name(plot_rows *r, size_t row, bool with_table, const plot_columns *by, const plot_column *last_resort,
	str_pool *pool);

/* Put the traces of a timeline on one clock; a remark says how, or why not. */
void plot_clock_find(plot_rows *r, plot *to, notes *say);

/* What all rows share of a column, in words; NULL: they differ, or have none. */
const char *plot_shared(plot_rows *r, const char *column);

/* ---- choose: which columns a picture is made of, and of what kind it is */

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
	bool tile_adds;         /* of lines: has a shorter tile less, as values add up? */
	bool piles;             /* of lines: are they parts of a whole, which are drawn one on the other? */
	const plot_column *dropped;     /* what else tells rows apart, which are added up; or NULL */
	bool diff;              /* is it a comparison, with a row for the whole step? */
} plot_choice;

bool plot_choose(plot_rows *r, const plot_params *p, plot_choice *to, notes *say);

/* Is its axis the time of the traces? */
bool plot_is_over_time(const plot_choice *c);

void plot_choice_free(plot_choice *c);

/* ---- words: what people call columns and pictures, as in "Idle time per window, by cause" */

/* A column as one of several parts: "compute only" for compute_only_ns. */
const char *plot_short(arena *a, const plot_column *c);

/* What the axes of values and along are called; NULL: there is nothing to say. */
const char *plot_value_words(arena *a, const plot_choice *c);
const char *plot_along_words(arena *a, const plot_choice *c);

/* What a picture shows, as a sentence without its unit; several: has it more than one category? */
const char *plot_title(arena *a, const plot_choice *c, bool several);

/* ---- items: the rows as what is to be drawn; each has a panel, a bar or lane, a category, and numbers */

typedef struct {
	uint32_t panel, slot, series;
	double a, b;            /* of a timeline start and end, of a line x and y, of others b is the value */
	double end;             /* of a line: where its tile ends; without tiles a */
} plot_item;

typedef struct {
	vec(plot_item) all;
	group panels;           /* of (row, unit, column) */
	str_pool rows, units, cols;     /* what these are called; "" is the only one, */
	uint32_t apart;         /* and this one of rows has no name; STR_NONE: there is none such */
	str_pool slots, series;
	size_t missing;         /* rows without a number, */
	bool unknown;           /* or without one of several */
	const char *windows;    /* what all bars are windows of, which are called by a number; or NULL, */
	bool numbered;          /* and whether that is the one in their names; else it is their index */
} plot_items;

void plot_items_read(plot_rows *r, const plot_choice *c, plot_items *to);

void plot_items_free(plot_items *items);

typedef struct {
	const uint32_t *panels;         /* by number of an item's panel: that in the plot */
	const uint32_t *series;         /* the same of categories; beyond the plot's: not drawn */
} plot_places;

/* Turn the items into bars with their parts, stretches, points or counts, and name the bars or lanes of each panel, in
 * their order.  Where there are too many, the smaller ones share one. */
void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

/* Bars that are parts of a whole go down from it, one after the other. */
void plot_fall(plot *to, const char *whole);

/* ---- axis: numbers and units as a person reads them, and round numbers along an axis */

enum { PLOT_NUMBER = 32 };

typedef struct {
	double scale;           /* how much of the column's unit it is */
	const char *name;       /* "" if there is none */
} plot_unit;

#define PLOT_MS "ns in ms"      /* a unit: of numbers in ns that are always shown in ms */
plot_unit plot_unit_of(const char *unit, double most);

/* A number with its unit: 2.53 ms. */
const char *plot_amount(double x, const char *unit, char buf[PLOT_NUMBER]);

/* The distance of ticks at round numbers, so that at most this many fit, and at least 0. */
double plot_step(double from, double to, double most);

/* A tick, with as many digits as the step needs. */
const char *plot_tick(double x, double step, char buf[PLOT_NUMBER]);

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

/* ---- picture: its shapes */

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
