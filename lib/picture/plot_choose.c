#include "picture/plot_parts.h"
#include "base/suggest.h"

#include <math.h>
#include <string.h>

typedef struct {
	plot_rows *r;
	const plot_params *p;
	plot_choice *to;
	notes *say;
	const plot_column *x, *color;   /* the columns that --x and --color name; or NULL */
	plot_columns y;                 /* the columns that --y names */
	plot_columns ids;               /* the columns of trace, process and GPU, as far as they tell rows apart */
	bool windows;           /* does some trace, process and GPU have several windows? */
	bool alone;             /* is each row the only one of its trace, process, GPU and window? */
	bool tiles;             /* are the windows tiles (plot_choose_has_tiles), and is there no --x? */
} plot_choose_ctx;

static const plot_columns nothing = { 0 };

/* ---- columns that options name */

static bool plot_choose_refuse_column(const plot_choose_ctx *c, const read_table *t, const char *option,
				      const char *name)
{
	vec(const char *) known = { 0 };
	arena texts = { 0 };
	const char *list = "";
	bool ok;

	for (size_t i = 0; i < t->rows.cols.n; i++) {
		vec_push(&known, t->rows.cols.v[i].name);
		list = arena_printf(&texts, "%s %s", list, t->rows.cols.v[i].name);
	}
	ok = notes_problem(c->say, EXIT_WRONG, "--%s: %s has no column '%s'%s the columns are%s", option, t->name, name,
			   suggest_names(&texts, name, known.v, known.n), list);
	vec_free(&known);
	arena_free(&texts);
	return ok;
}

/* Find the column that an option names.  *to is NULL if the option was not given (name NULL).  False after a
 * problem: a table has no such column. */
static bool plot_choose_find_column(const plot_choose_ctx *c, const char *option, const char *name,
				    const plot_column **to)
{
	*to = name ? plot_column_of(c->r, name) : NULL;
	for (size_t i = 0; name && !*to && i < c->r->in->ntables; i++)
		if (table_column(&c->r->in->tables[i].table.rows, name) < 0)
			return plot_choose_refuse_column(c, &c->r->in->tables[i].table, option, name);
	return true;
}

/* Check that a column holds numbers.  False after a problem. */
static bool plot_choose_check_number(const plot_choose_ctx *c, const char *option, const plot_column *column)
{
	for (size_t i = 0; !column->number && i < c->r->in->ntables; i++) {
		const read_table *t = &c->r->in->tables[i].table;
		if (t->rows.cols.v[column->at[i]].type == 't')
			return read_table_say_not_number(t, column->at[i], c->say);
	}
	return column->number || notes_problem(c->say, EXIT_WRONG,
		"no row has a value of '%s' to draw; choose another column with --%s", column->name, option);
}

static bool plot_choose_find_number(const plot_choose_ctx *c, const char *option, const char *name,
				    const plot_column **to)
{
	return plot_choose_find_column(c, option, name, to) && plot_choose_check_number(c, option, *to);
}

static bool plot_choose_refuse_option(const plot_choose_ctx *c, const char *what)
{
	return notes_problem(c->say, EXIT_WRONG, "%s; drop it", what);
}

/* Find the columns that --y names, separated by commas.  They must hold numbers, except for a timeline.  False after
 * a problem. */
static bool plot_choose_find_y(plot_choose_ctx *c)
{
	arena texts = { 0 };
	bool ok = true;

	if (c->p->y && c->p->kind == PLOT_HIST)
		return plot_choose_refuse_option(c, "--y has no effect in a histogram, which counts rows by --x");
	for (const char *p = c->p->y; ok && p;) {
		size_t n = strcspn(p, ",");
		const char *name = arena_text(&texts, p, n);
		const plot_column *found;
		ok = c->p->kind == PLOT_TIMELINE ? plot_choose_find_column(c, "y", name, &found) :
						   plot_choose_find_number(c, "y", name, &found);
		if (ok)
			vec_push(&c->y, found);
		p = p[n] ? p + n + 1 : NULL;
	}
	arena_free(&texts);
	return ok &&
		(c->y.n < 2 || !c->color ||
		 plot_choose_refuse_option(
			 c, "--color has no effect with several columns in --y: each has its own color"));
}

/* ---- the use of columns */

static bool plot_choose_is_named_by_options(const plot_choose_ctx *c, const plot_column *column)
{
	return column && (column == c->x || column == c->color || (c->y.n == 1 && column == c->y.v[0]));
}

/* The first column that has texts, a flag of `is`, and no flag of `is_not`; NULL: there is none.  Columns are in
 * order of column_about.tells. */
static const plot_column *plot_choose_find_text_column(const plot_choose_ctx *c, unsigned is, unsigned is_not)
{
	for (size_t i = 0; i < c->r->ncolumns; i++) {
		const plot_column *column = &c->r->columns[i];
		if (column->text && column->about->is & is && !(column->about->is & is_not))
			return column;
	}
	return NULL;
}

/* The column that names bars: a column of names (COLUMN_NAMES), otherwise one of kinds (COLUMN_CLASSIFIES); or NULL. */
static const plot_column *plot_choose_find_name_column(const plot_choose_ctx *c)
{
	const plot_column *found = plot_choose_find_text_column(c, COLUMN_NAMES, 0);

	return found ? found : plot_choose_find_text_column(c, COLUMN_CLASSIFIES, 0);
}

/* The column for the parts of a bar, the first of these that exists: the column of --color; a column of kinds
 * (COLUMN_CLASSIFIES) that is not COLUMN_COARSE; a column of names (COLUMN_NAMES); any column of kinds.  NULL: there is
 * none. */
static const plot_column *plot_choose_find_part_column(const plot_choose_ctx *c)
{
	const plot_column *found = c->color ? c->color :
		plot_choose_find_text_column(c, COLUMN_CLASSIFIES, COLUMN_COARSE);

	found = found ? found : plot_choose_find_text_column(c, COLUMN_NAMES, 0);
	return found ? found : plot_choose_find_text_column(c, COLUMN_CLASSIFIES, 0);
}

/* Does the column hold places in the trace (COLUMN_PLACE), or numbers that a run hands out (COLUMN_HANDED_OUT)?
 * These are no amounts. */
static bool plot_choose_is_no_amount(const plot_column *column)
{
	return column->about->role == COLUMN_PLACE || column->about->is & COLUMN_HANDED_OUT;
}

static bool plot_choose_adds_up(const plot_choose_ctx *c, const plot_column *number)
{
	return column_adds_up(number->name) && !(number->about->role == COLUMN_MEASURE && number->about->unless &&
		plot_column_of(c->r, number->about->unless));
}

/* The column of numbers to draw; NULL: there is none.  The first pass takes only measures that tell something, the
 * second any column with a unit, the third any column of amounts, the fourth any column.  adds: the values are to
 * add up to a bar, so elapsed_ns is better than total_ns. */
static const plot_column *plot_choose_best_number(const plot_choose_ctx *c, bool adds)
{
	const plot_column *elapsed = adds ? plot_numeric_column_of(c->r, "elapsed_ns") : NULL;

	for (int pass = 0; pass < 4; pass++)
		for (size_t i = 0; i < c->r->ncolumns; i++) {
			const plot_column *n = &c->r->columns[i];
			bool measure = n->about->role == COLUMN_MEASURE && n->about->tells;
			if (!n->number || plot_choose_is_named_by_options(c, n) || (pass == 0 && !measure) ||
			    (pass == 1 && !n->unit) || (pass < 3 && plot_choose_is_no_amount(n)))
				continue;
			/* total_ns counts the time of overlapping kernels twice */
			return elapsed && !plot_choose_is_named_by_options(c, elapsed) &&
					strcmp(n->name, "total_ns") == 0 ?
				elapsed :
				n;
		}
	return NULL;
}

/* Columns that add up to a whole.  If the table has a column of `unless`, they do not add up, or that column tells
 * more. */
static const struct { const char *names[6], *unless[3]; } wholes[] = {
	{ { "compute_only_ns", "both_ns", "comm_only_ns", "copy_only_ns", "idle_ns" }, { NULL } },
	{ { "starved_ns", "blocked_ns", "stalled_ns", "unresolved_ns" }, { "dur_ns", "part" } },
	{ { "hidden_ns", "exposed_ns" }, { "dur_ns" } },
	{ { "transfer_ns", "wait_ns" }, { "dur_ns", "caused_ns" } },
	{ { "busy_ns", "idle_ns" }, { "cause", "nvtx" } },
};

/* Take the columns of the first whole as the values.  False: the table has no whole. */
static bool plot_choose_take_whole(plot_choose_ctx *c)
{
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		bool all = true;
		for (size_t k = 0; wholes[i].names[k]; k++)
			all &= plot_numeric_column_of(c->r, wholes[i].names[k]) != NULL;
		for (size_t k = 0; k < 3 && wholes[i].unless[k]; k++)
			all &= !plot_column_of(c->r, wholes[i].unless[k]);
		for (size_t k = 0; all && wholes[i].names[k]; k++)
			vec_push(&c->to->values, plot_column_of(c->r, wholes[i].names[k]));
		if (all)
			return true;
	}
	return false;
}

/* ---- columns that tell rows apart */

static void plot_choose_append(plot_columns *to, const plot_columns *from)
{
	for (size_t i = 0; i < from->n; i++)
		vec_push(to, from->v[i]);
}

/* The column of the rank if each process has a rank of its own, otherwise the column of the pid; NULL: there is
 * neither. */
static const plot_column *plot_choose_process_column(plot_choose_ctx *c)
{
	const plot_column *pid = plot_column_of(c->r, "pid"), *rank = plot_column_of(c->r, "rank"),
		*trace = plot_column_of(c->r, "trace");
	plot_columns traces = { .v = &trace, .n = trace != NULL };
	bool all = true;

	if (!pid || !rank)
		return pid ? pid : rank;
	for (size_t i = 0; i < c->r->n && all; i++)
		all = plot_cell_key(c->r, i, rank) >= 0;
	return all && plot_count_distinct(c->r, &traces, rank) == plot_count_distinct(c->r, &traces, pid) ? rank : pid;
}

static void plot_choose_find_ids(plot_choose_ctx *c)
{
	const plot_column *const all[] = { plot_column_of(c->r, "trace"), plot_choose_process_column(c),
		plot_column_of(c->r, "gpu") }, *window = plot_column_of(c->r, "window");
	bool chosen = plot_choose_is_named_by_options(c, plot_column_of(c->r, "pid")) ||
		plot_choose_is_named_by_options(c, plot_column_of(c->r, "rank"));

	for (size_t i = 0; i < 3; i++)
		if (!plot_choose_is_named_by_options(c, all[i]) && !(i == 1 && chosen))
			plot_add_column_if_distinguishes(c->r, &c->ids, all[i]);
	if (window && !plot_choose_is_named_by_options(c, window)) {
		size_t n = plot_count_distinct(c->r, &c->ids, window);
		c->windows = n > plot_count_distinct(c->r, &c->ids, NULL);
		c->alone = n == c->r->n;
	}
}

/* Add columns to the list until it tells all rows apart or no column is left.  Add them also to `shown`, unless that
 * is NULL.  Returns how many rows the list then tells apart (plot_count_distinct). */
static size_t plot_choose_tell_apart(plot_choose_ctx *c, plot_columns *list, plot_columns *shown)
{
	size_t n = plot_count_distinct(c->r, list, NULL);

	for (size_t i = 0; i < c->r->ncolumns && n < c->r->n; i++) {
		const plot_column *column = &c->r->columns[i];
		if (!column->about->tells || (column->about->role == COLUMN_MEASURE) ||
		    !plot_add_column_if_distinguishes(c->r, list, column))
			continue;
		if (shown)
			vec_push(shown, column);
		n = plot_count_distinct(c->r, list, NULL);
	}
	return n;
}

/* ---- the kinds */

/* Does every row have a start and an end, and a length that is missing or the time between them?  False for tables
 * with a column period_ns, whose rows are windows. */
static bool plot_choose_has_stretches(const plot_choose_ctx *c)
{
	const plot_column *from = plot_numeric_column_of(c->r, "start_ns"),
		*to = plot_numeric_column_of(c->r, "end_ns"), *length = plot_numeric_column_of(c->r, "dur_ns");
	double a, b, dur;

	if (!from || !to || !length || plot_column_of(c->r, "period_ns"))
		return false;
	for (size_t i = 0; i < c->r->n; i++)
		if (!plot_read_number(c->r, i, from, &a) || !plot_read_number(c->r, i, to, &b) ||
		    (plot_read_number(c->r, i, length, &dur) && dur != b - a))
			return false;
	return true;
}

/* Are the rows about windows of equal length in a regular grid, as nsq-window --every and --bins cut them?  Windows
 * without rows may be absent, and the last one may be shorter.  Each process must have at least three.  Each length
 * may differ by 1 ns, because it is rounded. */
static bool plot_choose_has_tiles(const plot_choose_ctx *c)
{
	const plot_column *from = plot_numeric_column_of(c->r, "start_ns"),
		*to = plot_numeric_column_of(c->r, "end_ns");
	double a, b, start = 0, end = INFINITY, length = 0, absent;
	size_t tiles = 3;               /* tiles of the current process so far; 3 before the first process, so that
					 * the check succeeds there */

	if (!from || !to || !c->windows || plot_column_of(c->r, "period_ns"))
		return false;
	for (size_t i = 0; i < c->r->n; i++) {
		if (!plot_read_number(c->r, i, from, &a) || !plot_read_number(c->r, i, to, &b))
			return false;
		if (a == start && b == end)
			continue;
		if (a < end) {          /* it is the first window of a process */
			if (tiles < 3)
				return false;
			tiles = 0;
			length = b - a;
		} else {
			absent = nearbyint((a - end) / length);
			if (fabs(a - end - absent * length) > absent || end - start < length - 1 || b - a > length + 1)
				return false;
		}
		tiles++;
		start = a;
		end = b;
	}
	return tiles >= 3;
}

static enum plot_kind plot_choose_default_kind(plot_choose_ctx *c)
{
	const plot_column *part = plot_choose_find_part_column(c),
			  *number = c->y.n ? c->y.v[0] : plot_choose_best_number(c, true),
			  *window = plot_column_of(c->r, "window");
	bool several = c->ids.n || c->r->in->ntables > 1;

	if (!c->x && !c->y.n && plot_choose_has_stretches(c))
		return PLOT_TIMELINE;
	c->tiles = !c->x && plot_choose_has_tiles(c);
	if (c->tiles && !c->y.n && !c->color && c->alone)
		plot_choose_take_whole(c);
	if (c->tiles)
		return PLOT_LINE;
	if (!c->x && plot_numeric_column_of(c->r, "value") && plot_column_of(c->r, "metric") &&
	    plot_numeric_column_of(c->r, "start_ns"))
		return PLOT_LINE;
	if (c->x && c->x->number && !plot_choose_is_no_amount(c->x) && !plot_choose_is_named_by_options(c, window))
		return PLOT_LINE;
	if (c->y.n > 1)
		return PLOT_STACK;
	if (!c->y.n && !c->color && (!c->windows || c->alone) && plot_choose_take_whole(c))
		return PLOT_STACK;
	if (part && !c->alone && c->r->n > 1 && number && plot_choose_adds_up(c, number) &&
	    (c->windows || (several && !plot_choose_find_text_column(c, COLUMN_NAMES, 0)) || c->color))
		return PLOT_STACK;
	return PLOT_BARS;
}

/* Choose a bar for each name.  If several rows share a name, the columns that tell them apart are added to the
 * label. */
static void plot_choose_bar_by_name(plot_choose_ctx *c, const plot_column *name)
{
	plot_columns all = { 0 }, *panel = &c->to->panel, *label = &c->to->label;
	size_t n;

	plot_choose_append(panel, &c->ids);
	plot_choose_append(&all, &c->ids);
	vec_push(label, name);
	vec_push(&all, name);
	n = plot_choose_tell_apart(c, &all, label);
	vec_free(&all);
	if (panel->n && c->r->in->ntables == 1 && strcmp(panel->v[0]->name, "trace") != 0 &&
	    plot_count_distinct(c->r, label, NULL) == n) {
		/* no name is in two panels, so panels would compare nothing: one panel holds all bars */
		plot_choose_append(panel, label);
		vec_free(label);
		*label = *panel;
		*panel = nothing;
	}
}

/* Does each process and GPU have exactly one row, in a table without names?  Then one panel compares them. */
static bool plot_choose_has_one_row_each(plot_choose_ctx *c)
{
	return c->ids.n && c->r->in->ntables == 1 && !plot_choose_find_text_column(c, COLUMN_NAMES, 0) &&
		plot_count_distinct(c->r, &c->ids, NULL) == c->r->n;
}

/* A column that tells apart rows which share a bar or a point of a line, so that their numbers are added up; NULL:
 * there is none. */
static const plot_column *plot_choose_find_dropped(plot_choose_ctx *c)
{
	plot_columns all = { 0 };
	const plot_column *found = NULL;

	plot_choose_append(&all, &c->to->label);
	plot_choose_append(&all, &c->to->panel);
	plot_choose_append(&all, &c->to->panel_row);
	if (c->to->color)
		vec_push(&all, c->to->color);
	if (c->to->along)
		vec_push(&all, c->to->along);
	for (size_t i = 0; i < c->r->ncolumns && !found; i++) {
		const plot_column *column = &c->r->columns[i];
		bool names = column->text && column->about->role == COLUMN_KEY &&
			(column->about->is & (COLUMN_NAMES | COLUMN_CLASSIFIES) || strcmp(column->name, "where") == 0);
		if (names && plot_count_distinct(c->r, &all, column) > plot_count_distinct(c->r, &all, NULL))
			found = column;
	}
	vec_free(&all);
	return found;
}

static void plot_choose_bars(plot_choose_ctx *c)
{
	plot_choice *to = c->to;
	const plot_column *name = plot_choose_find_name_column(c), *window = plot_column_of(c->r, "window"),
		*owner = plot_column_of(c->r, "owner"), *where = plot_column_of(c->r, "where");
	bool stack = to->kind == PLOT_STACK, parts = stack && to->values.n == 1;

	to->sums = stack || plot_choose_adds_up(c, to->values.v[0]);
	to->color = c->color	 ? c->color :
		to->values.n > 1 ? NULL :
		stack		 ? plot_choose_find_part_column(c) :
				   plot_choose_find_text_column(c, COLUMN_CLASSIFIES, 0);
	if (c->x) {
		vec_push(&to->label, c->x);
		plot_choose_append(&to->panel, &c->ids);
	} else if (c->windows && (parts || c->alone)) {
		vec_push(&to->label, window);
		plot_choose_append(&to->panel, &c->ids);
	} else if (parts || !name || (c->ids.n && (plot_count_distinct(c->r, &nothing, name) == c->r->in->ntables ||
						   plot_choose_has_one_row_each(c)))) {
		plot_choose_append(&to->label, &c->ids);
		to->table_in_label = true;
		if (!parts)
			plot_choose_tell_apart(c, &to->label, NULL);
	} else if (name == owner && where && where->text && !c->color) {
		/* The rows of an owner are about its ranges (`where`), and become one bar. */
		vec_push(&to->label, owner);
		plot_choose_append(&to->panel, &c->ids);
	} else {
		plot_choose_bar_by_name(c, name);
	}
	to->diff = !c->x && !c->y.n && plot_numeric_column_of(c->r, "delta") && plot_column_of(c->r, "before") &&
		plot_column_of(c->r, "part") && c->r->in->ntables == 1;
	to->dropped = to->sums && to->values.n == 1 ? plot_choose_find_dropped(c) : NULL;
	to->upright = to->label.n == 1 && (to->label.v[0] == window || to->label.v[0]->number) &&
		plot_count_distinct(c->r, &to->label, NULL) > 1;
}

static bool plot_choose_line(plot_choose_ctx *c)
{
	const plot_column *times = plot_numeric_column_of(c->r, "start_ns"), *metric = plot_column_of(c->r, "metric");

	if (c->x && !plot_choose_check_number(c, "x", c->x))
		return false;
	c->to->along = c->x ? c->x : times && plot_count_distinct(c->r, &nothing, times) > 1 ? times :
		plot_numeric_column_of(c->r, "index");
	c->to->tile_end = times && c->to->along == times && plot_choose_has_tiles(c) ?
		plot_numeric_column_of(c->r, "end_ns") : NULL;
	c->to->tile_adds = c->to->tile_end;
	for (size_t i = 0; i < c->to->values.n; i++)
		c->to->tile_adds &= plot_choose_adds_up(c, c->to->values.v[i]);
	c->to->sums = c->to->tile_adds && c->r->n == c->r->total_rows;
	c->to->color = c->color;
	if (!c->color && c->to->values.n == 1 && !metric)
		c->to->color = !c->tiles ? plot_choose_find_text_column(c, COLUMN_CLASSIFIES, 0) :
			c->alone	 ? NULL :
					   plot_choose_find_part_column(c);
	plot_choose_append(&c->to->panel, &c->ids);
	if (metric && !plot_choose_is_named_by_options(c, metric))
		vec_push(&c->to->panel_row, metric);
	c->to->piles = c->to->sums && c->p->kind == PLOT_AUTO && (c->to->values.n > 1 || c->to->color);
	c->to->dropped = c->to->sums && c->to->values.n == 1 ? plot_choose_find_dropped(c) : NULL;
	return true;
}

static bool plot_choose_timeline(plot_choose_ctx *c)
{
	static const char *const lanes[] = { "ctx", "stream", "tid", "depth" };
	plot_choice *to = c->to;

	if (c->x)
		return plot_choose_refuse_option(
			c, "--x has no effect in a timeline, whose axis is the time from start_ns to end_ns");
	if (!plot_choose_find_number(c, "kind timeline", "start_ns", &to->along) ||
	    !plot_choose_find_number(c, "kind timeline", "end_ns", &to->until))
		return false;
	to->color = c->color ? c->color : plot_choose_find_text_column(c, COLUMN_CLASSIFIES, 0);
	to->color = to->color ? to->color : plot_choose_find_name_column(c);
	to->last_resort = plot_column_of(c->r, "tid");
	plot_choose_append(&to->label, &c->y);
	for (size_t i = 0; i < c->ids.n; i++)
		if (strcmp(c->ids.v[i]->name, "trace") == 0)
			vec_push(&to->panel_row, c->ids.v[i]);
		else if (!c->y.n)
			vec_push(&to->label, c->ids.v[i]);
	for (size_t i = 0; i < 4 && !c->y.n; i++)
		plot_add_column_if_distinguishes(c->r, &to->label, plot_column_of(c->r, lanes[i]));
	return true;
}

static bool plot_choose_hist(plot_choose_ctx *c)
{
	if (c->x && !plot_choose_check_number(c, "x", c->x))
		return false;
	c->to->along = c->x ? c->x : plot_choose_best_number(c, false);
	c->to->color = c->color;
	c->to->sums = true;
	for (size_t i = 0; i < c->ids.n; i++)
		if (strcmp(c->ids.v[i]->name, "trace") == 0)
			vec_push(&c->to->panel, c->ids.v[i]);
	return c->to->along || notes_problem(c->say, EXIT_WRONG, "%s has no column of numbers to draw",
		c->r->in->tables[0].table.name);
}

/* Choose the columns of the numbers to draw: those of --y, otherwise the best ones.  False after a problem. */
static bool plot_choose_values(plot_choose_ctx *c)
{
	plot_choice *to = c->to;
	const plot_column *unit = plot_column_of(c->r, TABLE_UNIT), *metric = plot_column_of(c->r, "metric"), *best;

	if (to->kind == PLOT_STACK && !c->y.n && !c->color && !to->values.n && !plot_choose_find_part_column(c))
		plot_choose_take_whole(c);
	if (!to->values.n)
		plot_choose_append(&to->values, &c->y);
	best = to->values.n ? NULL : plot_choose_best_number(c, to->kind == PLOT_STACK);
	if (best)
		vec_push(&to->values, best);
	if (!to->values.n)
		return notes_problem(c->say, EXIT_WRONG, "%s has no column of numbers to draw",
				     c->r->in->tables[0].table.name);
	to->unit = unit && unit->text ? unit : NULL;
	to->metric = metric && metric->text && !to->values.v[0]->unit && to->kind != PLOT_STACK &&
		strcmp(to->values.v[0]->name, "samples") != 0 ? metric : NULL;
	return true;
}

static bool plot_choose_kind(plot_choose_ctx *c)
{
	c->to->kind = c->p->kind == PLOT_AUTO ? plot_choose_default_kind(c) : (enum plot_kind)c->p->kind;
	if (c->to->kind == PLOT_TIMELINE)
		return plot_choose_timeline(c);
	if (c->to->kind == PLOT_HIST)
		return plot_choose_hist(c);
	if (!plot_choose_values(c))
		return false;
	if (c->to->kind == PLOT_LINE)
		return plot_choose_line(c);
	plot_choose_bars(c);
	return true;
}

bool plot_choose(plot_rows *r, const plot_params *p, plot_choice *to, notes *say)
{
	plot_choose_ctx c = { .r = r, .p = p, .to = to, .say = say };
	bool ok = plot_choose_find_column(&c, "x", p->x, &c.x) &&
		plot_choose_find_column(&c, "color", p->color, &c.color) && plot_choose_find_y(&c);

	if (ok)
		plot_choose_find_ids(&c);
	ok = ok && plot_choose_kind(&c);
	mem_free(c.ids.v, c.y.v);
	return ok;
}

bool plot_is_over_time(const plot_choice *c)
{
	return c->until || (c->kind == PLOT_LINE && c->along && strcmp(c->along->name, "start_ns") == 0);
}

void plot_choice_free(plot_choice *c)
{
	mem_free(c->values.v, c->label.v, c->panel.v, c->panel_row.v);
}
