#include "picture/plot_columns.h"
#include "base/group.h"
#include "base/suggest.h"

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
			found = read_table_number(t, r, col, &x);
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
			text = table_at(&t->rows, r)[col].t;
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
	return plot_is_number(c, name) || notes_problem(c->say, EXIT_WRONG, "no row has a value of '%s' to draw; choose another column with --%s",
						   name, option);
}

static int64_t key_at(plot_look *c, const read_table *t, size_t row, int col)
{
	table_cell cell;

	if (col < 0)
		return -1;
	cell = table_at(&t->rows, row)[col];
	return !table_has_text(t->rows.cols.v[col].type) ? cell.i : cell.t ? (int64_t)str_id(&c->pool, cell.t, strlen(cell.t)) : -1;
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
