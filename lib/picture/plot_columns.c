#include "picture/plot_columns.h"
#include "base/group.h"
#include "base/suggest.h"
#include "table/column_about.h"

#include <string.h>

bool plot_has(const plot_look *c, const char *name)
{
	for (size_t i = 0; i < c->in->ntables; i++)
		if (read_table_column(&c->in->tables[i].table, name) < 0)
			return false;
	return true;
}

/* Is the column a number in every table, with a value somewhere? */
bool plot_is_number(const plot_look *c, const char *name)
{
	bool found = false;
	double x;

	for (size_t i = 0; i < c->in->ntables; i++) {
		const read_table *t = &c->in->tables[i].table;
		int col = read_table_column(t, name);
		if (col < 0 || t->rows.cols.v[col].type == 't')
			return false;
		for (size_t r = 0; r < plot_rows(t, c->p) && !found; r++)
			found = plot_draws(c->p, r) && read_table_number(t, r, col, &x);
	}
	return found || !c->rows;
}

/* Is it a text in some table, with a value somewhere? */
bool plot_is_text(const plot_look *c, const char *name)
{
	bool text = false;

	for (size_t i = 0; i < c->in->ntables; i++) {
		const read_table *t = &c->in->tables[i].table;
		int col = read_table_column(t, name);
		if (col < 0)
			return false;
		for (size_t r = 0; r < plot_rows(t, c->p) && !text && t->rows.cols.v[col].type == 't'; r++)
			text = plot_draws(c->p, r) && table_at(&t->rows, r)[col].t;
	}
	return text;
}

const char *plot_first_text(const plot_look *c, const char *const *list)
{
	while (*list && !plot_is_text(c, *list))
		list++;
	return *list;
}

static bool no_column(const plot_look *c, const read_table *t, const char *option, const char *name)
{
	plot_names known = { 0 };
	bool ok;

	const char *list = "";

	for (size_t i = 0; i < t->rows.cols.n; i++) {
		vec_push(&known, t->rows.cols.v[i].name);
		list = arena_printf(c->texts, "%s %s", list, t->rows.cols.v[i].name);
	}
	ok = notes_problem(c->say, EXIT_WRONG, "--%s: %s has no column '%s'%s the columns are%s", option, t->name, name,
			   suggest_names(c->texts, name, known.v, known.n), list);
	vec_free(&known);
	return ok;
}

/* Is there the column that an option names? */
bool plot_check(const plot_look *c, const char *option, const char *name)
{
	for (size_t i = 0; name && i < c->in->ntables; i++)
		if (read_table_column(&c->in->tables[i].table, name) < 0)
			return no_column(c, &c->in->tables[i].table, option, name);
	return true;
}

bool plot_check_number(const plot_look *c, const char *option, const char *name)
{
	if (!plot_check(c, option, name))
		return false;
	for (size_t i = 0; i < c->in->ntables; i++) {
		const read_table *t = &c->in->tables[i].table;
		int col = read_table_column(t, name);
		if (t->rows.cols.v[col].type == 't' && c->rows)
			return read_table_not_number(t, col, c->say);
	}
	return plot_is_number(c, name) || notes_problem(c->say, EXIT_WRONG,
		"no row has a value of '%s' to draw; choose another column with --%s", name, option);
}

static int64_t key_at(plot_look *c, const read_table *t, size_t row, int col)
{
	table_cell cell;

	if (col < 0)
		return -1;
	cell = table_at(&t->rows, row)[col];
	return !table_has_text(t->rows.cols.v[col].type) ? cell.i :
		cell.t ? (int64_t)str_id(&c->pool, cell.t, strlen(cell.t)) : -1;
}

int64_t plot_key(plot_look *c, const read_table *t, size_t row, const char *name)
{
	return key_at(c, t, row, read_table_column(t, name));
}

size_t plot_distinct(plot_look *c, const plot_names *names, const char *more)
{
	enum { MOST = 32 };
	size_t width = 1 + names->n + (more != NULL), n;
	group g = { .width = width };
	int64_t key[MOST];
	int cols[MOST];

	for (size_t i = 0; i < c->in->ntables; i++) {
		const read_table *t = &c->in->tables[i].table;
		for (size_t k = 1; k < width; k++)
			cols[k] = read_table_column(t, k <= names->n ? names->v[k - 1] : more);
		for (size_t r = 0; r < plot_rows(t, c->p); r++) {
			key[0] = c->by_table ? (int64_t)i : 0;
			for (size_t k = 1; k < width; k++)
				key[k] = key_at(c, t, r, cols[k]);
			if (plot_draws(c->p, r))
				group_of(&g, key);
		}
	}
	n = g.n;
	group_free(&g);
	return n;
}

/* Add a column to a list if rows differ in it that the list does not tell apart; is it added? */
bool plot_tell_by(plot_look *c, plot_names *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], name) == 0)
			return false;
	if (!plot_has(c, name) || plot_distinct(c, list, name) <= plot_distinct(c, list, NULL))
		return false;
	vec_push(list, name);
	return true;
}

bool plot_used(const plot_look *c, const char *name)
{
	return (c->p->x && strcmp(c->p->x, name) == 0) || (c->p->color && strcmp(c->p->color, name) == 0) ||
		(c->p->y && strcmp(c->p->y, name) == 0);
}

/* ---- which numbers are worth drawing */

/* What a number says most of the time, best first. */
static const char *const telling_values[] = { "mfu_pct", "recover_ns", "delta", "period_ns", "period_p50_ns", "dur_ns",
	"idle_ns", "exposed_ns", "caused_ns", "gpu_ns", "dur_p50_ns", "total_ns", "elapsed_ns", "busy_ns", "run_ns",
	"cuda_ns", "os_ns", "peak_bytes", "queue_p50_ns", "value", "mean", "self_pct", "kernels", NULL };

/* Columns that add up to a whole, and those in whose presence they do not. */
static const struct { const char *names[6]; const char *unless[3]; } wholes[] = {
	{ { "compute_only_ns", "both_ns", "comm_only_ns", "copy_only_ns", "idle_ns" }, { NULL } },
	{ { "starved_ns", "blocked_ns", "stalled_ns", "unresolved_ns" }, { "dur_ns" } },
	{ { "hidden_ns", "exposed_ns" }, { "dur_ns" } },
	{ { "transfer_ns", "wait_ns" }, { "dur_ns" } },
	{ { "busy_ns", "idle_ns" }, { "cause", "nvtx" } },
};

bool plot_is_place(const char *name)
{
	return column_about_of(name)->role == COLUMN_PLACE || column_about_of(name)->is & COLUMN_HANDED_OUT;
}

bool plot_take_whole(const plot_look *c, plot_names *values)
{
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		bool all = true;
		for (size_t k = 0; wholes[i].names[k]; k++)
			all &= plot_is_number(c, wholes[i].names[k]);
		for (size_t k = 0; k < 3 && wholes[i].unless[k]; k++)
			all &= !plot_has(c, wholes[i].unless[k]);
		for (size_t k = 0; all && wholes[i].names[k]; k++)
			vec_push(values, wholes[i].names[k]);
		if (all)
			return true;
	}
	return false;
}

static const char *any_number(const plot_look *c, bool with_unit, bool places)
{
	const table *t = &c->in->tables[0].table.rows;

	for (size_t i = 0; i < t->cols.n; i++) {
		const char *name = t->cols.v[i].name;
		if (plot_is_number(c, name) && (!with_unit || t->cols.v[i].unit) && (places || !plot_is_place(name)) &&
		    !plot_used(c, name))
			return name;
	}
	return NULL;
}

const char *plot_best_number(const plot_look *c, bool adds)
{
	const char *found = NULL;

	for (size_t i = 0; telling_values[i] && !found; i++)
		if (plot_is_number(c, telling_values[i]) && !plot_used(c, telling_values[i]))
			found = telling_values[i];
	if (found && strcmp(found, "total_ns") == 0 && adds && plot_is_number(c, "elapsed_ns"))
		found = "elapsed_ns";           /* which adds up where kernels overlap */
	found = found ? found : any_number(c, true, false);
	found = found ? found : any_number(c, false, false);
	return found ? found : any_number(c, false, true);
}

bool plot_take_values(const plot_look *c, bool adds, plot_names *values)
{
	const char *found;

	for (const char *p = c->p->y; p; ) {
		size_t n = strcspn(p, ",");
		const char *name = arena_text(c->texts, p, n);
		if (!plot_check_number(c, "y", name))
			return false;
		vec_push(values, name);
		p = p[n] ? p + n + 1 : NULL;
	}
	if (values->n > 1 && c->p->color)
		return notes_problem(c->say, EXIT_WRONG,
			"--color has no effect with several columns in --y: each has its own color; drop it");
	if (values->n)
		return true;
	found = plot_best_number(c, adds);
	if (!found)
		return notes_problem(c->say, EXIT_WRONG, "%s has no column of numbers to draw",
			c->in->tables[0].table.name);
	vec_push(values, found);
	return true;
}
