#include "picture/plot_parts.h"
#include "base/group.h"
#include "table/format.h"

#include <string.h>

/* ---- columns */

/* Do all tables have the column?  at: gets its index in each of them. */
static bool plot_rows_is_in_all_tables(const inputs *in, const char *name, int *at)
{
	bool all = true;

	for (size_t i = 0; i < in->ntables; i++) {
		at[i] = table_column(&in->tables[i].table.rows, name);
		all &= at[i] >= 0;
	}
	return all;
}

static const table_col *plot_rows_column_in(const plot_rows *r, size_t table_index, const plot_column *c)
{
	return &r->in->tables[table_index].table.rows.cols.v[c->at[table_index]];
}

static table_cell plot_rows_cell_at(const plot_rows *r, size_t row, const plot_column *c)
{
	return table_at(&r->in->tables[r->table.v[row]].table.rows, r->row.v[row])[c->at[r->table.v[row]]];
}

/* Set `number` and `text` of a column.  If there are no rows, every column whose type is not text holds numbers. */
static void plot_rows_set_type(const plot_rows *r, plot_column *c)
{
	bool texts = false, values = !r->n;
	double x;

	for (size_t i = 0; i < r->in->ntables; i++)
		texts |= plot_rows_column_in(r, i, c)->type == 't';
	for (size_t i = 0; i < r->n && !values && !texts; i++)
		values = plot_read_number(r, i, c, &x);
	for (size_t i = 0; i < r->n && texts && !c->text; i++)
		c->text = plot_rows_column_in(r, r->table.v[i], c)->type == 't' && plot_rows_cell_at(r, i, c).t;
	c->number = values && !texts;
}

/* Find the columns that every table has, those with the largest column_about.tells first.  Columns that tell
 * equally much stay in the order of the first table. */
static void plot_rows_find_columns(plot_rows *to)
{
	const table *first = &to->in->tables[0].table.rows;

	to->columns = mem_new(plot_column, first->cols.n + 1);
	to->places = mem_new(int, first->cols.n * to->in->ntables + 1);
	for (size_t i = 0; i < first->cols.n; i++) {
		const char *name = first->cols.v[i].name;
		size_t k = to->ncolumns;
		int *at = to->places + k * to->in->ntables;
		if (!plot_rows_is_in_all_tables(to->in, name, at))
			continue;
		plot_column c = { .name = name, .unit = column_unit(name), .about = column_about_of(name), .at = at };
		plot_rows_set_type(to, &c);
		for (; k && to->columns[k - 1].about->tells < c.about->tells; k--)
			to->columns[k] = to->columns[k - 1];
		to->columns[k] = c;
		to->ncolumns++;
	}
}

const plot_column *plot_column_of(const plot_rows *r, const char *name)
{
	int at = table_column(&r->in->tables[0].table.rows, name);

	for (size_t i = 0; i < r->ncolumns; i++)
		if (r->columns[i].at[0] == at)
			return &r->columns[i];
	return NULL;
}

const plot_column *plot_numeric_column_of(const plot_rows *r, const char *name)
{
	const plot_column *c = plot_column_of(r, name);

	return c && c->number ? c : NULL;
}

/* ---- names of files */

/* The name of a file without its directory and ending. */
static const char *plot_rows_stem_of(arena *a, const char *path)
{
	static const char *const endings[] = { ".sqlite", ".nsys-rep", ".qdrep", ".json.gz", ".json", ".tsv", ".csv",
		".jsonl", NULL };
	const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
	size_t n = strlen(name);

	for (size_t i = 0; endings[i]; i++) {
		size_t m = strlen(endings[i]);
		if (n > m && strcmp(name + n - m, endings[i]) == 0)
			return arena_text(a, name, n - m);
	}
	return name;
}

/* The name that the user gave a table, otherwise its file (which read_table.name has in quotes): the whole path with
 * `full`, otherwise its stem. */
static const char *plot_rows_name_of_table(plot_rows *to, size_t i, bool full)
{
	const input_table *t = &to->in->tables[i];
	char by_default[32];

	snprintf(by_default, sizeof by_default, i ? "t%zu" : "t", i + 1);
	if (strcmp(t->name, by_default) != 0)
		return t->name;
	if (*t->table.name != '\'')
		return t->table.name;
	const char *path = arena_text(&to->texts, t->table.name + 1, strlen(t->table.name) - 2);
	return full ? path : plot_rows_stem_of(&to->texts, path);
}

static uint32_t plot_rows_id_of(str_pool *pool, const char *s)
{
	return str_id(pool, s, strlen(s));
}

/* Name the tables.  If two names are equal, files get their paths as names.  A name that is still taken gets the
 * table's position, too: "NAME (2)", or the next number with which it is not taken. */
static void plot_rows_name_tables(plot_rows *to)
{
	str_pool stems = { 0 };

	for (size_t i = 0; i < to->in->ntables; i++)
		plot_rows_id_of(&stems, plot_rows_name_of_table(to, i, false));
	for (size_t i = 0; i < to->in->ntables; i++) {
		const char *own = plot_rows_name_of_table(to, i, stems.n < to->in->ntables), *name = own;
		for (size_t k = i + 1; plot_rows_id_of(&to->tables, name) < i; k++)
			name = arena_printf(&to->texts, "%s (%zu)", own, k);
	}
	str_free(&stems);
}

static void plot_rows_name_traces(plot_rows *to)
{
	const plot_column *c = plot_column_of(to, "trace");
	const char *last = NULL;

	for (size_t i = 0; c && c->text && i < to->n; i++) {
		const char *s = plot_rows_cell_at(to, i, c).t;
		if (s && s != last && plot_rows_id_of(&to->traces, s) == to->traces.n - 1)
			plot_rows_id_of(&to->stems, plot_rows_stem_of(&to->texts, s));
		last = s;
	}
	to->full_traces = to->stems.n < to->traces.n;
}

/* ---- rows */

void plot_rows_read(const inputs *in, const plot_params *p, plot_rows *to)
{
	to->in = in;
	for (size_t i = 0; i < in->ntables; i++) {
		size_t n = table_rows(&in->tables[i].table.rows);
		to->total_rows += n;
		n = p->limit && (size_t)p->limit < n ? (size_t)p->limit : n;
		for (size_t k = 0; k < n; k++) {
			vec_push(&to->table, (uint32_t)i);
			vec_push(&to->row, (uint32_t)k);
		}
	}
	to->n = to->row.n;
	plot_rows_find_columns(to);
	plot_rows_name_tables(to);
	plot_rows_name_traces(to);
}

void plot_rows_free(plot_rows *r)
{
	mem_free(r->table.v, r->row.v, r->columns, r->places, r->ahead);
	str_free(&r->words);
	str_free(&r->traces);
	str_free(&r->stems);
	str_free(&r->tables);
	arena_free(&r->texts);
}

bool plot_read_number(const plot_rows *r, size_t row, const plot_column *c, double *x)
{
	return table_number(&r->in->tables[r->table.v[row]].table.rows, r->row.v[row], c->at[r->table.v[row]], x);
}

int64_t plot_cell_key(plot_rows *r, size_t row, const plot_column *c)
{
	table_cell cell = plot_rows_cell_at(r, row, c);

	return !table_has_text(plot_rows_column_in(r, r->table.v[row], c)->type) ? cell.i :
		cell.t ? (int64_t)plot_rows_id_of(&r->words, cell.t) : -1;
}

uint32_t plot_find_trace(plot_rows *r, size_t row)
{
	const plot_column *c = plot_column_of(r, "trace");
	const char *s = c && c->text ? plot_rows_cell_at(r, row, c).t : NULL;

	return s ? plot_rows_id_of(&r->traces, s) : 0;
}

bool plot_is_whole_step(const plot_rows *r, size_t row)
{
	const plot_column *part = plot_column_of(r, "part");

	return part && part->text && plot_rows_cell_at(r, row, part).t &&
		strcmp(plot_rows_cell_at(r, row, part).t, "step") == 0;
}

size_t plot_count_distinct(plot_rows *r, const plot_columns *list, const plot_column *more)
{
	size_t width = 1 + list->n + (more != NULL), n;
	group g = { .width = width };
	int64_t *key = mem_new(int64_t, width);

	for (size_t i = 0; i < r->n; i++) {
		key[0] = r->table.v[i];
		for (size_t k = 1; k < width; k++)
			key[k] = plot_cell_key(r, i, k <= list->n ? list->v[k - 1] : more);
		group_of(&g, key);
	}
	n = g.n;
	free(key);
	group_free(&g);
	return n;
}

bool plot_add_column_if_distinguishes(plot_rows *r, plot_columns *list, const plot_column *c)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == c)
			return false;
	if (!c || plot_count_distinct(r, list, c) <= plot_count_distinct(r, list, NULL))
		return false;
	vec_push(list, c);
	return true;
}

/* ---- names of rows */

typedef vec(char) joined;        /* n characters and a NUL */

static void plot_rows_join_words(joined *to, const char *a, const char *b, const char *c)
{
	const char *parts[] = { to->n ? " · " : "", a, b, c };

	for (size_t i = 0; i < 4; i++) {
		size_t n = strlen(parts[i]);
		vec_reserve(to, to->n + n + 1);
		memcpy(to->v + to->n, parts[i], n + 1);
		to->n += n;
	}
}

/* Add a cell in words.  A number that identifies something is written after its column's name, as in "stream 7", and
 * left out if it is missing.  Any other missing value is written as (no NAME). */
static void plot_rows_join_cell(plot_rows *r, joined *j, size_t row, const plot_column *c)
{
	const table_col *column = plot_rows_column_in(r, r->table.v[row], c);
	table_cell cell = plot_rows_cell_at(r, row, c);
	bool numbered = c->about->said && column->type != 't' && c->about->role != COLUMN_MEASURE;
	char buf[FORMAT_CELL];
	const char *s = format_cell(column, cell, buf, sizeof buf);

	if (s && column->type == 'i' && c->unit)
		s = plot_format_amount((double)cell.i, c->unit, buf);
	else if (s && strcmp(c->name, "trace") == 0 && !r->full_traces)
		s = str_at(&r->stems, plot_rows_id_of(&r->traces, s));    /* traces and stems have the same ids here */
	if (s)
		plot_rows_join_words(j, numbered ? c->about->said : "", numbered ? " " : "", s);
	else if (!numbered)
		plot_rows_join_words(j, "(no ", c->about->said ? c->about->said : c->name, ")");
}

uint32_t plot_name_row(plot_rows *r, size_t row, bool with_table, const plot_columns *by,
	const plot_column *last_resort, str_pool *pool)
{
	joined j = { 0 };
	uint32_t id;

	if (with_table)
		plot_rows_join_words(&j, "", "", str_at(&r->tables, r->table.v[row]));
	for (size_t i = 0; i < by->n; i++)
		plot_rows_join_cell(r, &j, row, by->v[i]);
	if (by->n && !j.n && last_resort)
		plot_rows_join_cell(r, &j, row, last_resort);
	if (by->n && !j.n)
		plot_rows_join_words(&j, "", "", "all");
	id = str_id(pool, j.n ? j.v : "", j.n);
	vec_free(&j);
	return id;
}

const char *plot_common_value(plot_rows *r, const char *column)
{
	const plot_column *c = plot_column_of(r, column);
	plot_columns one = { .v = &c, .n = 1 };
	str_pool names = { 0 };
	const char *found = NULL;

	int64_t last = -1, key;

	for (size_t i = 0; c && i < r->n && names.n < 2; i++, last = key) {
		key = plot_cell_key(r, i, c);
		if (key < 0)
			c = NULL;
		else if (!i || key != last || r->table.v[i] != r->table.v[i - 1])
			plot_name_row(r, i, false, &one, NULL, &names);
	}
	if (c && names.n == 1)
		found = arena_copy(&r->texts, str_at(&names, 0));
	str_free(&names);
	return found;
}
