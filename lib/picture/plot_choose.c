#include "picture/plot_choose.h"
#include "table/column_about.h"

#include <string.h>

typedef struct {
	plot_look look;
	plot_choice *to;
	plot_names ids;         /* the columns that tell processes and GPUs apart */
	bool windows, alone;    /* do windows differ within these, and is each row about one of its own? */
} choosing;

/* What names a bar best, what says best what a part of it is, and what is a class of few words. */
static const char *const naming[] = { "path", "name", "metric", "thread", "process", "nvtx", "stage", "phase", "part",
	"cause", "category", "op", "finding", "purpose", "class", "kind", NULL };
static const char *const parting[] = { "cause", "category", "stage", "phase", "part", "op", "kind", "purpose", "name",
	"path", "nvtx", "metric", "thread", "class", NULL };
static const char *const classes[] = { "cause", "category", "class", "kind", "stage", "phase", "op", "bound", "change",
	"purpose", "severity", NULL };

/* Columns that tell rows of one name apart, in the order in which they are tried. */
static const char *const telling[] = { "metric", "op", "bytes", "kind", "src", "dst", "domain", "module", "comm", "gpu",
	"ctx", "stream", "tid", "nvtx", "stage", "cause", "class", "category", "window", NULL };

/* Ranks where all have one, else processes. */
static const char *process_column(choosing *c)
{
	plot_names trace = { 0 };
	size_t pids;

	if (plot_has(&c->look, "trace"))
		vec_push(&trace, "trace");
	pids = plot_distinct(&c->look, &trace, "pid");
	for (size_t i = 0; i < c->look.in->ntables && pids; i++) {
		const read_table *t = &c->look.in->tables[i].table;
		for (size_t r = 0; r < plot_rows(t, c->look.p) && pids; r++)
			if (plot_draws(c->look.p, r) && plot_key(&c->look, t, r, "rank") < 0)
				pids = 0;
	}
	if (pids && plot_distinct(&c->look, &trace, "rank") != pids)
		pids = 0;
	vec_free(&trace);
	return pids ? "rank" : "pid";
}

static void find_ids(choosing *c)
{
	const char *process = !plot_has(&c->look, "pid") ? "rank" :
		plot_has(&c->look, "rank") ? process_column(c) : "pid";
	const char *const all[] = { "trace", process, "gpu" };
	bool chosen = plot_used(&c->look, "pid") || plot_used(&c->look, "rank");

	for (size_t i = 0; i < 3; i++)
		if (!plot_used(&c->look, all[i]) && !(i == 1 && chosen))
			plot_tell_by(&c->look, &c->ids, all[i]);
	if (plot_has(&c->look, "window") && !plot_used(&c->look, "window")) {
		size_t n = plot_distinct(&c->look, &c->ids, "window");
		c->windows = n > plot_distinct(&c->look, &c->ids, NULL);
		c->alone = n == c->look.rows;
	}
}

/* ---- the kinds */

/* Is every row a stretch of time of its own? */
static bool has_spans(const choosing *c)
{
	double a, b, dur;

	if (!plot_is_number(&c->look, "start_ns") || !plot_is_number(&c->look, "end_ns") ||
	    !plot_is_number(&c->look, "dur_ns") || plot_has(&c->look, "period_ns"))
		return false;
	for (size_t i = 0; i < c->look.in->ntables; i++) {
		const read_table *t = &c->look.in->tables[i].table;
		int from = read_table_column(t, "start_ns"), to = read_table_column(t, "end_ns"),
			of = read_table_column(t, "dur_ns");
		for (size_t r = 0; r < plot_rows(t, c->look.p); r++)
			if (!plot_draws(c->look.p, r))
				continue;
			else if (!read_table_number(t, r, from, &a) || !read_table_number(t, r, to, &b) ||
			    (read_table_number(t, r, of, &dur) && dur != b - a))
				return false;
	}
	return true;
}

/* What a part of a bar is, unless the user says. */
static const char *part_column(const choosing *c)
{
	return c->look.p->color ? c->look.p->color : plot_first_text(&c->look, parting);
}

static enum plot_kind default_kind(choosing *c)
{
	const char *part = part_column(c), *number = c->look.p->y ? c->look.p->y : plot_best_number(&c->look, true);
	bool named = plot_first_text(&c->look, (const char *const[]){ "name", "path", "metric", "thread", "process",
		"nvtx", NULL });

	if (!c->look.p->x && !c->look.p->y && has_spans(c))
		return PLOT_TIMELINE;
	if (plot_is_number(&c->look, "value") && plot_has(&c->look, "metric") && plot_is_number(&c->look, "start_ns") &&
	    !c->look.p->x)
		return PLOT_LINE;
	if (c->look.p->x && plot_is_number(&c->look, c->look.p->x) && !plot_is_place(c->look.p->x) &&
	    !plot_used(&c->look, "window"))
		return PLOT_LINE;
	if (strchr(c->look.p->y ? c->look.p->y : "", ','))
		return PLOT_STACK;
	if (!c->look.p->y && !c->look.p->color && (!c->windows || c->alone) &&
	    plot_take_whole(&c->look, &c->to->values))
		return PLOT_STACK;
	if (part && !c->alone && c->look.rows > 1 && column_adds_up(number ? number : "") &&
	    (c->windows || (!named && (c->ids.n || c->look.by_table)) || c->look.p->color))
		return PLOT_STACK;
	return PLOT_BARS;
}

static void copy_names(plot_names *to, const plot_names *from)
{
	for (size_t i = 0; i < from->n; i++)
		vec_push(to, from->v[i]);
}

/* A bar for each window, in a panel for each process and GPU. */
static void by_window(choosing *c)
{
	vec_push(&c->to->label, "window");
	copy_names(&c->to->panel, &c->ids);
}

/* A bar for each name; if several rows share a name, columns that tell them apart are added to it. */
static void by_name(choosing *c, const char *name)
{
	plot_names all = { 0 };
	size_t n;

	copy_names(&c->to->panel, &c->ids);
	copy_names(&all, &c->ids);
	vec_push(&c->to->label, name);
	vec_push(&all, name);
	n = plot_distinct(&c->look, &all, NULL);
	for (size_t i = 0; telling[i] && n < c->look.rows; i++)
		if (plot_tell_by(&c->look, &all, telling[i])) {
			vec_push(&c->to->label, telling[i]);
			n = plot_distinct(&c->look, &all, NULL);
		}
	vec_free(&all);
	if (c->to->panel.n && !c->look.by_table && strcmp(c->to->panel.v[0], "trace") != 0 &&
	    plot_distinct(&c->look, &c->to->label, NULL) == n) {
		/* no name stands in two panels, so they would not be compared */
		for (size_t i = 0; i < c->to->label.n; i++)
			vec_push(&c->to->panel, c->to->label.v[i]);
		vec_free(&c->to->label);
		c->to->label = c->to->panel;
		c->to->panel = (plot_names){ 0 };
	}
}

static void choose_bars(choosing *c)
{
	const char *name = plot_first_text(&c->look, naming);
	plot_names none = { 0 };
	bool stack = c->to->kind == PLOT_STACK, parts = stack && c->to->values.n == 1;
	size_t one = c->look.by_table ? c->look.in->ntables : 1;        /* name that all rows share */

	c->to->sums = stack || column_adds_up(c->to->values.v[0]);
	c->to->color = c->look.p->color ? c->look.p->color : c->to->values.n > 1 ? NULL : stack ? part_column(c) :
		plot_first_text(&c->look, classes);
	if (c->look.p->x) {
		vec_push(&c->to->label, c->look.p->x);
		copy_names(&c->to->panel, &c->ids);
	} else if (c->windows && (parts || c->alone)) {
		by_window(c);
	} else if (parts || !name || (c->ids.n && plot_distinct(&c->look, &none, name) == one)) {
		copy_names(&c->to->label, &c->ids);
		c->to->table_in_label = true;
		for (size_t i = 0; telling[i] && !parts; i++)
			plot_tell_by(&c->look, &c->to->label, telling[i]);
	} else {
		by_name(c, name);
	}
	c->to->upright = c->to->label.n == 1 && (strcmp(c->to->label.v[0], "window") == 0 ||
		plot_is_number(&c->look, c->to->label.v[0])) && plot_distinct(&c->look, &c->to->label, NULL) > 1;
}

static void choose_line(choosing *c)
{
	plot_names none = { 0 };
	bool times = plot_is_number(&c->look, "start_ns") && plot_distinct(&c->look, &none, "start_ns") > 1;

	c->to->along = c->look.p->x ? c->look.p->x : times ? "start_ns" :
		plot_is_number(&c->look, "index") ? "index" : NULL;
	c->to->color = c->look.p->color;
	if (!c->to->color && c->to->values.n == 1 && !plot_has(&c->look, "metric"))
		c->to->color = plot_first_text(&c->look, classes);
	copy_names(&c->to->panel, &c->ids);
	if (plot_has(&c->look, "metric") && !plot_used(&c->look, "metric"))
		vec_push(&c->to->rank, "metric");
}

static bool choose_timeline(choosing *c)
{
	static const char *const lanes[] = { "ctx", "stream", "tid", "depth" };

	if (c->look.p->x)
		return notes_problem(c->look.say, EXIT_WRONG,
			"--x has no effect in a timeline, whose axis is the time from start_ns to end_ns; drop it");
	if (!plot_check_number(&c->look, "kind timeline", "start_ns") ||
	    !plot_check_number(&c->look, "kind timeline", "end_ns") || !plot_check(&c->look, "y", c->look.p->y))
		return false;
	c->to->color = c->look.p->color ? c->look.p->color : plot_first_text(&c->look, classes);
	c->to->color = c->to->color ? c->to->color : plot_first_text(&c->look, naming);
	if (c->look.p->y)
		vec_push(&c->to->label, c->look.p->y);
	for (size_t i = 0; i < c->ids.n; i++)
		if (strcmp(c->ids.v[i], "trace") == 0)
			vec_push(&c->to->rank, c->ids.v[i]);
		else if (!c->look.p->y)
			vec_push(&c->to->label, c->ids.v[i]);
	for (size_t i = 0; i < 4 && !c->look.p->y; i++)
		plot_tell_by(&c->look, &c->to->label, lanes[i]);
	return true;
}

static bool choose_hist(choosing *c)
{
	if (c->look.p->y)
		return notes_problem(c->look.say, EXIT_WRONG,
			"--y has no effect in a histogram, which counts rows by --x; drop it");
	if (c->look.p->x && !plot_check_number(&c->look, "x", c->look.p->x))
		return false;
	c->to->along = c->look.p->x ? c->look.p->x : plot_best_number(&c->look, false);
	if (!c->to->along)
		return notes_problem(c->look.say, EXIT_WRONG, "%s has no column of numbers to draw",
			c->look.in->tables[0].table.name);
	c->to->color = c->look.p->color;
	c->to->sums = true;
	for (size_t i = 0; i < c->ids.n; i++)
		if (strcmp(c->ids.v[i], "trace") == 0)
			vec_push(&c->to->panel, c->ids.v[i]);
	return true;
}

static bool choose_kind(choosing *c)
{
	enum plot_kind kind = (enum plot_kind)c->look.p->kind;

	if (kind == PLOT_AUTO)
		kind = default_kind(c);
	c->to->kind = kind;
	if (kind == PLOT_STACK && !c->look.p->y && !c->look.p->color && !c->to->values.n && !part_column(c))
		plot_take_whole(&c->look, &c->to->values);
	if (kind != PLOT_HIST && kind != PLOT_TIMELINE && plot_is_text(&c->look, TABLE_UNIT))
		c->to->unit = TABLE_UNIT;
	if (kind == PLOT_TIMELINE)
		return choose_timeline(c);
	if (kind == PLOT_HIST)
		return choose_hist(c);
	if (!c->to->values.n && !plot_take_values(&c->look, kind == PLOT_STACK, &c->to->values))
		return false;
	if (kind == PLOT_LINE && c->look.p->x && !plot_check_number(&c->look, "x", c->look.p->x))
		return false;
	if (kind == PLOT_LINE)
		choose_line(c);
	else
		choose_bars(c);
	return true;
}

bool plot_choose(const inputs *in, const plot_params *p, plot_choice *to, notes *say)
{
	choosing c = { .look = { .in = in, .p = p, .by_table = in->ntables > 1, .texts = &to->texts, .say = say },
		.to = to };
	bool ok;

	for (size_t i = 0; i < in->ntables; i++)
		for (size_t r = 0; r < plot_rows(&in->tables[i].table, p); r++)
			c.look.rows += plot_draws(p, r);
	ok = plot_check(&c.look, "x", p->x) && plot_check(&c.look, "color", p->color);
	if (ok)
		find_ids(&c);
	ok = ok && choose_kind(&c);
	vec_free(&c.ids);
	str_free(&c.look.pool);
	return ok;
}

void plot_choice_free(plot_choice *c)
{
	vec_free(&c->values);
	vec_free(&c->label);
	vec_free(&c->panel);
	vec_free(&c->rank);
	arena_free(&c->texts);
}
