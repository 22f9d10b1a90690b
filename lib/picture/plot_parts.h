/*
 * plot_parts - declarations for lib/picture/plot*.c alone, in the order of the work: rows of tables, the choice of
 * columns, their names in words, items, marks, and shapes with their axes.
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

/* ---- rows: the rows of all tables as one list, and the columns that all tables have */

typedef struct {
	const char *name, *unit;
	const column_about *about;
	bool number, text;      /* number: is it a number in every table?  text: is it a text in some?  If there are
				 * rows and none has a value, both are false */
	int *at;                /* by table: the position of the column */
} plot_column;

typedef vec(const plot_column *) plot_columns;

typedef struct {
	const inputs *in;
	size_t n, total_rows;   /* n: the number of rows that are drawn; total_rows: of all rows */
	vec(uint32_t) table;    /* by row: its table */
	vec(uint32_t) row;      /* by row: its index in its table */
	plot_column *columns;   /* the columns that every table has; the most telling first (column_about) */
	size_t ncolumns;
	int *places;            /* the memory of all `at` */
	str_pool words;         /* the texts of cells; their ids are their plot_key */
	str_pool traces, stems; /* traces: the paths of all traces; stems: the same without directory and ending */
	str_pool tables;        /* the names of the tables, in their order */
	bool full_traces;       /* must traces be named by their paths, because two file names are the same? */
	int64_t *ahead;         /* by trace: nanoseconds added to its times when drawn; NULL: none */
	arena texts;
} plot_rows;

void plot_rows_take(const inputs *in, const plot_params *p, plot_rows *to);
void plot_rows_free(plot_rows *r);

/* A column that all tables have, or NULL.  plot_numeric_column_of: only if it holds numbers. */
const plot_column *plot_column_of(const plot_rows *r, const char *name);
const plot_column *plot_numeric_column_of(const plot_rows *r, const char *name);

/* The number in a cell; false if it is missing. */
bool plot_value(const plot_rows *r, size_t row, const plot_column *c, double *x);

/* A number that is the same for cells of a column with the same content.  It is negative if the cell is empty or holds
 * a negative number. */
int64_t plot_key(plot_rows *r, size_t row, const plot_column *c);

/* The number of a row's trace in `traces`; 0 if it has none. */
uint32_t plot_trace_of(plot_rows *r, size_t row);

/* Is this row of nsq-diff about the whole step, of which the other rows are parts? */
bool plot_is_step(const plot_rows *r, size_t row);

/* The number of different combinations of values in the columns of the list and in `more`, which is one more column or
 * NULL.  Rows of different tables always differ. */
size_t plot_distinct(plot_rows *r, const plot_columns *list, const plot_column *more);

/* Add a column (or NULL) to the list if it tells apart rows that the list does not.  Was it added? */
bool plot_add_column_if_distinguishes(plot_rows *r, plot_columns *list, const plot_column *c);

/* Name a row by the name of its table (with_table) and by some columns, as in "rank 2 · stream 7", and return the
 * number of the name in the pool.  If neither gives a word, the column last_resort names the row; if that is NULL or
 * empty, the name is "all".  Without columns and table, the name is "". */
uint32_t plot_name(plot_rows *r, size_t row, bool with_table, const plot_columns *by, const plot_column *last_resort,
	str_pool *pool);

/* Put the traces of a timeline on one clock; a remark says how, or why not. */
void plot_clock_find(plot_rows *r, plot *to, notes *say);

/* The value of a column that all rows share, in words; NULL: the rows differ, or have none. */
const char *plot_common_value(plot_rows *r, const char *column);

/* ---- choose: the columns and the kind of a picture */

typedef struct {
	enum plot_kind kind;
	plot_columns values;    /* the numbers to draw; a timeline has none */
	plot_columns label;     /* columns that name a bar or lane; none: there is one for each table (table_in_label)
				 * or for each panel */
	plot_columns panel;     /* each combination of their values has a panel of its own */
	plot_columns rank;      /* each combination of their values has a row of panels of its own */
	const plot_column *color;       /* the categories; NULL: each of several values is a category, or there are no
					 * categories */
	const plot_column *along;       /* the axis of numbers; NULL: the number of the row */
	const plot_column *until;       /* for a timeline: the ends of what starts at `along` */
	const plot_column *tile_end;    /* for lines: the end of the row's tile of time; NULL: there are no tiles */
	const plot_column *unit;        /* holds the unit of each row; or NULL */
	const plot_column *metric;      /* holds the unit of each row in brackets at the end of its text; or NULL */
	const plot_column *last_resort; /* names a lane whose label columns are empty; or NULL */
	bool table_in_label;    /* several tables are told apart by bars; otherwise by panels */
	bool upright;
	bool sums;              /* can values be added up?  For lines: does a tile without a row have the value 0? */
	bool tile_adds;         /* for lines: is the value of a shorter tile smaller, because values add up? */
	bool piles;             /* for lines: are they parts of a whole, and stacked? */
	const plot_column *dropped;     /* a column that tells apart rows whose values are added up; or NULL */
	bool diff;              /* is it a comparison, with a row for the whole step? */
} plot_choice;

bool plot_choose(plot_rows *r, const plot_params *p, plot_choice *to, notes *say);

/* Is the axis of numbers the time of the traces? */
bool plot_is_over_time(const plot_choice *c);

void plot_choice_free(plot_choice *c);

/* ---- words: columns and pictures in words, as in "Idle time per window, by cause" */

/* A column as one of several parts: "compute only" for compute_only_ns. */
const char *plot_short_column_name(arena *a, const plot_column *c);

/* The titles of the axis of values and of the other axis; NULL: none. */
const char *plot_value_words(arena *a, const plot_choice *c);
const char *plot_along_words(arena *a, const plot_choice *c);

/* The title of a picture, without a unit.  several: does the picture have more than one category? */
const char *plot_title(arena *a, const plot_choice *c, bool several);

/* ---- items: the things to draw, made from rows; each has a panel, a bar or lane, a category, and numbers */

typedef struct {
	uint32_t panel, slot, series;
	double a, b;            /* for a timeline: start and end; for a line: x and y; for other kinds, b is the
				 * value */
	double end;             /* for a line: the end of its tile; the same as a without tiles */
} plot_item;

typedef struct {
	vec(plot_item) all;
	group panels;           /* the panels, each a triple of its row, unit and column */
	str_pool rows, units, cols;     /* names of rows, units and columns of panels; "" if there is only one */
	uint32_t apart;         /* a row of panels without a name, for the whole step of nsq-diff; STR_NONE: none */
	str_pool slots, series;
	size_t missing;         /* the number of rows without any number */
	bool unknown;           /* does some row lack one of several numbers? */
	const char *windows;    /* the common name of the windows, if all bars are windows named by a number; or NULL */
	bool numbered;          /* are the windows named by the number in their names?  otherwise by their index */
} plot_items;

void plot_items_read(plot_rows *r, const plot_choice *c, plot_items *to);

void plot_items_free(plot_items *items);

typedef struct {
	const uint32_t *panels;         /* by panel of the items: its number in the plot */
	const uint32_t *series;         /* by category of the items: its number in the plot; numbers beyond the last are
					 * not drawn */
} plot_places;

/* Turn the items into marks: bars with their parts, stretches, points or counts.  Also name the bars or lanes of each
 * panel, in order.  If there are too many, the smaller ones share one or, if values cannot be added up, are left
 * out. */
void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say);

/* Shift the bars so that they go down from the whole (plot_params.falls_from), one after the other. */
void plot_shift_from_whole(plot *to, const char *whole);

/* ---- axis: numbers and units for people, and round numbers along an axis */

enum { PLOT_NUMBER = 32 };

typedef struct {
	double scale;           /* how many of the column's units it is: 1e6 for ms if the column is in ns */
	const char *name;       /* "": no name */
} plot_unit;

#define PLOT_MS "ns in ms"      /* the unit of numbers in ns that are always shown in ms */

/* The unit in which numbers up to `most` are shown.  unit: that of the column, or NULL. */
plot_unit plot_unit_of(const char *unit, double most);

/* A number with its unit: 2.53 ms. */
const char *plot_amount(double x, const char *unit, char buf[PLOT_NUMBER]);

/* The distance between ticks at round numbers, so that there are at most `most` of them; 0: no ticks. */
double plot_tick_distance(double from, double to, double most);

/* The text of a tick, with as many digits as the distance between ticks (`step`) needs. */
const char *plot_tick(double x, double step, char buf[PLOT_NUMBER]);

/* An axis of numbers: from lo at the place a to hi at the place b. */
typedef struct {
	double lo, hi, a, b;
	bool logarithmic;
	const char *unit;       /* the column's unit */
	plot_unit shown;        /* the unit of the ticks */
	double step;            /* distance between ticks, in the column's unit; 0: no ticks */
	double label;           /* width of the widest tick's text */
} plot_axis;

double plot_at(const plot_axis *a, double value);

/* Set the ends of a panel's axis of values or, with `along`, of its other axis. */
void plot_axis_extent(const plot *p, const plot_panel *panel, bool along, plot_axis *a);

/* Choose ticks at round numbers: at most `most`, or as many as fit into a width without their texts touching. */
void plot_axis_ticks(const picture *to, plot_axis *a, double most);
void plot_axis_fit(const picture *to, plot_axis *a, double width);

typedef struct {                /* a panel, while it is drawn */
	const plot *p;
	const plot_panel *panel;
	picture *to;
	double x, y, w, h;      /* the rectangle of the marks */
	bool first;             /* is it the leftmost panel? */
	plot_axis across, up;   /* the axis of values is `up`, or `across` if bars lie */
	size_t merged;          /* out: how many bars or events were merged with others, or points of lines left out */
	size_t each;            /* out: the number of bars of which one drawn bar is the mean */
} plot_place;

/* Draw the ticks of an axis.  down: as upright lines, with their texts below the panel; otherwise as level lines, with
 * their texts at the left if the panel is `first`. */
void plot_axis_draw(plot_place *at, const plot_axis *a, bool down);

/* Draw the marks of a panel. */
void plot_draw(plot_place *at);

/* ---- the shapes of a picture */

typedef struct {
	double x, y;
	double room;            /* a text wider than this is cut; INFINITY: never */
	enum picture_side side;
} picture_place;

picture_shape *picture_add(picture *to, picture_shape s);
void picture_text(picture *to, picture_place at, enum picture_role role, const char *text);

/* Cut a text to the room: an ellipsis replaces its middle.  start: the part of the room for its beginning. */
const char *picture_cut(picture *to, const char *text, double room, double start);

/* The width of a text by the metrics of the picture. */
double picture_width(const picture *p, const char *text);
