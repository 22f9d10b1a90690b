/*
 * plot_parts - declarations for lib/picture/plot*.c alone, in the order of the work: rows of tables, the choice of
 * columns, their names in words, items, marks, and shapes with their axes.
 *
 *     plot_rows rows = { 0 };
 *     plot_choice choice = { 0 };
 *     plot_items items = { 0 };
 *     plot_rows_read(in, &params, &rows);
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
	bool number;            /* does the column hold numbers?  False if its type is text in some table, or if there
				 * are rows and none has a value */
	bool text;              /* does some row have a text in the column? */
	int *at;                /* an array with an element for each table: the index of the column in it */
} plot_column;

typedef vec(const plot_column *) plot_columns;

typedef struct {
	const inputs *in;
	size_t n;               /* the number of rows that are drawn */
	size_t total_rows;      /* the number of rows of all tables */
	vec(uint32_t) table;    /* for each row: the index of its table */
	vec(uint32_t) row;      /* for each row: its index in its table */
	plot_column *columns;   /* the columns that every table has, those with the largest column_about.tells (how much
				 * a column tells a reader) first */
	size_t ncolumns;
	int *places;            /* the memory of plot_column.at of all columns */
	str_pool words;         /* the texts of cells; the plot_cell_key of a text is its id here */
	str_pool traces;        /* the paths of all traces that the drawn rows name */
	str_pool stems;         /* the paths in `traces` without directory and ending; as many as `traces` if all
				 * differ */
	str_pool tables;        /* the names of the tables, in their order */
	bool full_traces;       /* must traces be named by their paths, because two of them have the same stem? */
	int64_t *ahead;         /* an array with an element for each trace: the nanoseconds added to its times when
				 * drawn; NULL: nothing is added */
	arena texts;
} plot_rows;

/* List the rows that p wants drawn, find the columns, and name the tables and traces.  `in` must outlive `to`. */
void plot_rows_read(const inputs *in, const plot_params *p, plot_rows *to);
void plot_rows_free(plot_rows *r);

/* Find a column that all tables have; NULL: there is none.  plot_numeric_column_of returns NULL also for a
 * column without numbers. */
const plot_column *plot_column_of(const plot_rows *r, const char *name);
const plot_column *plot_numeric_column_of(const plot_rows *r, const char *name);

/* Read the number in a cell.  False: it is missing. */
bool plot_read_number(const plot_rows *r, size_t row, const plot_column *c, double *x);

/* A number that is the same for cells of a column with the same content.  In columns of texts and of whole numbers,
 * it is negative if the cell is empty or holds a negative number. */
int64_t plot_cell_key(plot_rows *r, size_t row, const plot_column *c);

/* The index of a row's trace in `traces`; 0 if the row names no trace. */
uint32_t plot_find_trace(plot_rows *r, size_t row);

/* Is this row of nsq-diff about the whole step?  The other rows are about parts of the step. */
bool plot_is_whole_step(const plot_rows *r, size_t row);

/* Count the different combinations of values in the columns of the list and in `more`, which is one more column or
 * NULL.  Two rows of different tables count as different. */
size_t plot_count_distinct(plot_rows *r, const plot_columns *list, const plot_column *more);

/* Add column c to the list if it tells apart rows that the list does not.  True: it was added.  c may be NULL, which
 * adds nothing. */
bool plot_add_column_if_distinguishes(plot_rows *r, plot_columns *list, const plot_column *c);

/* Name a row by the name of its table (with_table) and by the columns `by`, as in "rank 2 · stream 7", and return
 * the id of the name in the pool.  If `by` has columns, but the name is still empty, last_resort (a column or NULL)
 * names the row.  If the name is empty even then, it is "all".  Without columns and table, it is "". */
uint32_t plot_name_row(plot_rows *r, size_t row, bool with_table, const plot_columns *by,
	const plot_column *last_resort, str_pool *pool);

/* Find one clock for all traces: set r->ahead and to->one_clock.  A remark says how the clocks were aligned, or why
 * each trace keeps its own. */
void plot_clock_set_ahead(plot_rows *r, plot *to, notes *say);

/* The value of a column in words, if all rows have the same one; otherwise NULL.  It lives as long as r. */
const char *plot_common_value(plot_rows *r, const char *column);

/* ---- choose: the columns and the kind of a picture */

typedef struct {
	enum plot_kind kind;
	plot_columns values;    /* the columns of the numbers to draw; none for timelines and histograms */
	plot_columns label;     /* columns that name a bar or lane; none: one bar or lane for each table
				 * (table_in_label) or for each panel */
	plot_columns panel;     /* columns; each combination of their values has a panel of its own in each row */
	plot_columns panel_row; /* columns; each combination of their values has a row of panels */
	const plot_column *color;       /* the column of the categories; NULL: if there are several `values`, each is
					 * a category; otherwise there are no categories */
	const plot_column *along;       /* the column of the axis across; NULL: there are bars, or the axis has
					 * the index of each row in its table */
	const plot_column *until;       /* for a timeline: the column of the ends; `along` is that of the starts */
	const plot_column *tile_end;    /* for lines: the column of the ends of tiles (plot_mark); NULL: there are
					 * none */
	const plot_column *unit;        /* the column with the unit of each row; or NULL */
	const plot_column *metric;      /* the column whose texts end with the unit of the row, in brackets; or NULL */
	const plot_column *last_resort; /* the column that names a lane whose label columns are empty; or NULL */
	bool table_in_label;    /* several tables are told apart by bars or lanes; otherwise by panels */
	bool upright;           /* as in struct plot */
	bool sums;              /* can values be added up?  For lines also: does a tile without a row have the value
				 * 0? */
	bool tile_adds;         /* for lines: is the value of a shorter tile smaller, because the values are amounts
				 * that add up? */
	bool piles;             /* for lines: are they parts of a whole, so that they are stacked? */
	const plot_column *dropped;     /* a column that tells apart rows whose values are added up, so that the
					 * picture does not show it; or NULL */
	bool diff;              /* is it a table of nsq-diff, with a row for the whole step? */
} plot_choice;

/* Choose what p leaves open.  False after a problem. */
bool plot_choose(plot_rows *r, const plot_params *p, plot_choice *to, notes *say);

/* Does the axis across show the time of the traces? */
bool plot_is_over_time(const plot_choice *c);

void plot_choice_free(plot_choice *c);

/* ---- words: columns and pictures in words, as in "Idle time per window, by cause" */

/* The name of a column without its unit, in words: "compute only" for compute_only_ns. */
const char *plot_short_column_name(arena *a, const plot_column *c);

/* plot_value_title: the title of the axis of values, or of the lanes of a timeline.  plot_along_title: the title of
 * the other axis.  NULL: none. */
const char *plot_value_title(arena *a, const plot_choice *c);
const char *plot_along_title(arena *a, const plot_choice *c);

/* The title of a picture, without a unit.  several: does the picture have more than one category? */
const char *plot_title(arena *a, const plot_choice *c, bool several);

/* ---- items: the things to draw, made from rows; each has a panel, a bar or lane, a category, and numbers */

typedef struct {
	uint32_t panel;         /* index of its panel in plot_items.panels */
	uint32_t slot;          /* its bar or lane, an id in plot_items.slots */
	uint32_t series;        /* its category, an id in plot_items.series */
	double a, b;            /* for a timeline: start and end; for a line: x and y; for bars and histograms: b is
				 * the value */
	double end;             /* for a line: the end of its tile; without tiles the same as a */
} plot_item;

typedef struct {
	vec(plot_item) all;
	group panels;           /* the panels; the key of each is its ids in `rows`, `units` and `cols` */
	str_pool rows;          /* the names of the rows of panels; "" if there is only one */
	str_pool units;         /* the units of panels; "": no unit */
	str_pool cols;          /* the names of the columns of panels; "" if there is only one */
	uint32_t apart;         /* the id in `rows` of the row of panels for the whole step of nsq-diff, which is
				 * shown without a name; STR_NONE: there is no such row */
	str_pool slots;         /* the names of bars or lanes */
	str_pool series;        /* the names of categories */
	size_t missing;         /* the number of rows without any number */
	bool unknown;           /* does some row have only some of its numbers? */
	const char *windows;    /* the name that the windows share, if each bar is a window and is called by a
				 * number; otherwise NULL */
	bool numbered;          /* is this number the one in NAME of a window NAME#INDEX?  Otherwise it is INDEX */
} plot_items;

/* Make the items of all rows. */
void plot_items_read(plot_rows *r, const plot_choice *c, plot_items *to);

void plot_items_free(plot_items *items);

typedef struct {
	const uint32_t *panels;         /* an array with an element for each panel of items: its index in the plot */
	const uint32_t *series;         /* such an array for the categories of items; if the plot has no category with
					 * this index, which happens only for lines, the line is not drawn */
} plot_renumbering;

/* Turn the items into marks: parts of bars, stretches of timelines, points of lines, or counts.  Also name the bars
 * or lanes of each row of panels, in order.  If these are too many, the smaller ones share one or, if values cannot
 * be added up, are left out. */
void plot_make_marks(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places, notes *say);

/* Add a bar for the whole, and shift the others so that they go down from it, one after the other
 * (plot_params.falls_from).  whole: its name, which is not copied. */
void plot_shift_from_whole(plot *to, const char *whole);

/* ---- axis: numbers and units for people, and round numbers along an axis */

enum { PLOT_NUMBER = 32 };

typedef struct {
	double scale;           /* how many of the column's units it is: 1e6 for ms if the column is in ns */
	const char *name;       /* its name; "": numbers are shown without a unit */
} plot_unit;

#define PLOT_MS "ns in ms"      /* the unit of numbers in ns that are always shown in ms */

/* The unit in which numbers up to `most` are shown.  unit: the unit of the column, or NULL. */
plot_unit plot_choose_unit(const char *unit, double most);

/* A number with its unit: 2.53 ms. */
const char *plot_format_amount(double x, const char *unit, char buf[PLOT_NUMBER]);

/* The distance between ticks at round numbers.  It divides the axis into at most `most` parts.  0: there are no
 * ticks. */
double plot_tick_distance(double from, double to, double most);

/* The text of a tick, with as many digits as the distance between ticks (`step`) needs. */
const char *plot_format_tick(double x, double step, char buf[PLOT_NUMBER]);

/* An axis of numbers.  The number lo is drawn at the coordinate a, and hi at b. */
typedef struct {
	double lo, hi, a, b;
	bool logarithmic;
	const char *unit;       /* the unit of the column */
	plot_unit shown;        /* the unit of the ticks */
	double step;            /* distance between ticks, in `unit`; 0: no ticks */
	double label;           /* width of the widest tick's text */
} plot_axis;

/* The coordinate of a number. */
double plot_coordinate(const plot_axis *a, double value);

/* Set lo and hi of a panel's axis of values or, with `along`, of its other axis. */
void plot_axis_extent(const plot *p, const plot_panel *panel, bool along, plot_axis *a);

/* plot_axis_ticks: choose about `most` ticks at round numbers.  plot_axis_fit: choose as many as fit into a width
 * without their texts touching. */
void plot_axis_ticks(const picture *to, plot_axis *a, double most);
void plot_axis_fit(const picture *to, plot_axis *a, double width);

typedef struct {                /* a panel that is being drawn */
	const plot *p;
	const plot_panel *panel;
	picture *to;
	double x, y, w, h;      /* the rectangle of the marks */
	bool first;             /* is there no panel to its left? */
	plot_axis across;       /* the axis of numbers that are not values; unused for bars */
	plot_axis up;           /* the axis of values, which is horizontal if bars lie; unused for timelines */
	size_t merged;          /* out: the number of bars or events that were merged with others, or of points of
				 * lines that were not drawn */
	size_t each;            /* out: the number of bars of which each drawn bar is the mean; 1: none are merged */
} plot_panel_ctx;

/* Draw the ticks of an axis.  down: as vertical lines, with their texts below the panel; otherwise as horizontal
 * lines, with their texts at the left if the panel is `first`. */
void plot_axis_draw(plot_panel_ctx *at, const plot_axis *a, bool down);

/* Draw the marks of a panel. */
void plot_draw(plot_panel_ctx *at);

/* ---- the shapes of a picture */

typedef struct {
	double x, y;
	double room;            /* a text wider than this is cut; INFINITY: never */
	enum picture_side side;
} picture_place;

/* Add a shape, and return it; it is valid until the next one is added. */
picture_shape *picture_add(picture *to, picture_shape s);

/* Add a text, cut to its room.  Adds nothing if there is no room for anything but an ellipsis.  The text is not
 * copied, so it must live as long as the picture. */
void picture_text(picture *to, picture_place at, enum picture_role role, const char *text);

/* Cut a text to the room: an ellipsis replaces its middle.  A text that fits is itself returned.  start: the fraction
 * of the room that is for its beginning. */
const char *picture_cut(picture *to, const char *text, double room, double start);

/* The width of a text by the metrics of the picture. */
double picture_width(const picture *p, const char *text);
