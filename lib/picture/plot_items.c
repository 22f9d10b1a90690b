#include "picture/plot_items.h"
#include "picture/plot_colors.h"
#include "picture/plot_units.h"
#include "table/column_about.h"
#include "table/format.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e290           /* so that sums and scales stay finite */

/* The name of a file without its directory and ending. */
static const char *stem_of(arena *a, const char *path)
{
	static const char *const endings[] = { ".sqlite", ".nsys-rep", ".qdrep", ".tsv", ".csv", ".jsonl", NULL };
	const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path;
	size_t n = strlen(name);

	for (size_t i = 0; endings[i]; i++) {
		size_t m = strlen(endings[i]);
		if (n > m && strcmp(name + n - m, endings[i]) == 0)
			return arena_text(a, name, n - m);
	}
	return arena_text(a, name, n);
}

const char *plot_words(arena *a, const char *column)
{
	const char *unit = column_unit(column), *cut = strrchr(column, '_');
	char *name = arena_text(a, column, unit && cut && cut > column ? (size_t)(cut - column) : strlen(column));

	for (char *p = name; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return name;
}

/* A name of its own for a table: as the user named it, or its file. */
static const char *name_of_table(plot_items *to, size_t i)
{
	const input_table *t = &to->in->tables[i];
	char given[32];
	size_t n = strlen(t->table.name);

	snprintf(given, sizeof given, i ? "t%zu" : "t", i + 1);
	if (strcmp(t->name, given) != 0)
		return t->name;
	if (*t->table.name != '\'')
		return t->table.name;
	const char *path = arena_text(&to->texts, t->table.name + 1, n - 2);
	return to->full_tables ? path : stem_of(&to->texts, path);
}

/* Are the files' names without directories different where the files are? */
static void look_at_names(plot_items *to)
{
	str_pool stems = { 0 };

	for (size_t i = 0; i < to->in->ntables; i++) {
		const read_table *t = &to->in->tables[i].table;
		int col = read_table_column(t, "trace");
		const char *last = NULL, *name = name_of_table(to, i);
		str_id(&stems, name, strlen(name));
		for (size_t r = 0; col >= 0 && t->rows.cols.v[col].type == 't' && r < table_rows(&t->rows); r++) {
			const char *s = table_at(&t->rows, r)[col].t;
			if (!s || (last && strcmp(s, last) == 0))
				continue;
			last = s;
			if (str_id(&to->traces, s, strlen(s)) == to->stems.n)
				str_id(&to->stems, stem_of(&to->texts, s), strlen(stem_of(&to->texts, s)));
		}
	}
	to->full_traces = to->stems.n < to->traces.n;
	to->full_tables = stems.n < to->in->ntables;
	for (size_t i = 0; i < to->in->ntables; i++) {
		const char *name = name_of_table(to, i);
		if (str_id(&to->tables, name, strlen(name)) < i) {      /* still not unique: add its position */
			name = arena_printf(&to->texts, "%s (%zu)", name, i + 1);
			str_id(&to->tables, name, strlen(name));
		}
	}
	str_free(&stems);
}

/* ---- what a row is called */

typedef vec(int) places_of;      /* where columns are in a table */

typedef struct {
	const plot_choice *c;
	places_of rank, panel, label, color, values;
	int start, end, along, unit, metric, tid;
} chosen;

static void find_places(const read_table *t, const plot_names *names, places_of *to)
{
	to->n = 0;
	for (size_t i = 0; i < names->n; i++)
		vec_push(to, read_table_column(t, names->v[i]));
}

/* Where the chosen columns are in a table. */
static void find_chosen(const read_table *t, chosen *to)
{
	const plot_choice *c = to->c;

	find_places(t, &c->rank, &to->rank);
	find_places(t, &c->panel, &to->panel);
	find_places(t, &c->label, &to->label);
	find_places(t, &c->values, &to->values);
	to->color.n = 0;
	if (c->color)
		vec_push(&to->color, read_table_column(t, c->color));
	to->start = read_table_column(t, "start_ns");
	to->end = read_table_column(t, "end_ns");
	to->along = c->along ? read_table_column(t, c->along) : -1;
	to->unit = c->unit ? read_table_column(t, c->unit) : -1;
	to->metric = read_table_column(t, "metric");
	to->tid = c->kind == PLOT_TIMELINE ? read_table_column(t, "tid") : -1;
}

typedef vec(char) joined;        /* with a NUL at its end */

static void join(joined *to, const char *before, const char *s)
{
	const char *parts[] = { to->n ? " · " : "", before, s };

	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(parts[i]);
		vec_reserve(to, to->n + n + 1);
		memcpy(to->v + to->n, parts[i], n + 1);
		to->n += n;
	}
}

static void join_cell(plot_items *to, joined *j, const read_table *t, size_t row, int col)
{
	static const struct { const char *name, *shown; } words[] =
		{ { "pid", "pid " }, { "rank", "rank " }, { "gpu", "GPU " }, { "ctx", "context " },
		{ "stream", "stream " }, { "tid", "thread " }, { "depth", "depth " }, { NULL, "" } };
	const char *name = t->rows.cols.v[col].name;
	int w = 0;
	const table_col *column = &t->rows.cols.v[col];
	char buf[FORMAT_CELL];
	const char *s = format_cell(column, table_at(&t->rows, row)[col], buf, sizeof buf);

	while (words[w].name && strcmp(words[w].name, name) != 0)
		w++;
	if (s && column->type == 'i' && column->unit)
		s = plot_amount((double)table_at(&t->rows, row)[col].i, column->unit, buf);
	else if (s && strcmp(name, "trace") == 0 && !to->full_traces)
		s = str_at(&to->stems, str_id(&to->traces, s, strlen(s)));      /* the same numbers */
	if (s || !words[w].name)
		join(j, s ? words[w].shown : "", s ? s : "-");
}

/* otherwise: the column that names a row of which those have nothing to say, or -1. */
static uint32_t name_row(plot_items *to, str_pool *pool, size_t from, bool by_table, size_t row, const places_of *at,
	int otherwise)
{
	joined j = { 0 };
	uint32_t id;

	if (by_table)
		join(&j, "", str_at(&to->tables, (uint32_t)from));
	for (size_t i = 0; i < at->n; i++)
		join_cell(to, &j, &to->in->tables[from].table, row, at->v[i]);
	if (at->n && !j.n && otherwise >= 0)
		join_cell(to, &j, &to->in->tables[from].table, row, otherwise);
	if (at->n && !j.n)
		join(&j, "", "-");
	id = str_id(pool, j.n ? j.v : "", j.n);
	vec_free(&j);
	return id;
}

/* What stands in brackets at the end of a metric's name is its unit. */
static uint32_t metric_unit(plot_items *to, const char *metric)
{
	const char *open = metric ? strrchr(metric, '[') : NULL, *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return str_id(&to->units, "", 0);
	return close[-1] == '%' ? str_id(&to->units, "%", 1) : str_id(&to->units, open + 1, (size_t)(close - open - 1));
}

/* The unit of a row's numbers: that of the column, or what the row says. */
static uint32_t unit_of(plot_items *to, const chosen *at, const read_table *t, size_t row)
{
	const plot_choice *c = at->c;
	const char *unit = c->values.n ? column_unit(c->values.v[0]) : NULL;

	if (at->unit >= 0)
		unit = table_at(&t->rows, row)[at->unit].t;
	else if (!unit && at->metric >= 0 && c->values.n && (c->kind == PLOT_LINE || c->kind == PLOT_BARS) &&
		 t->rows.cols.v[at->metric].type == 't' && strcmp(c->values.v[0], "samples") != 0)
		return metric_unit(to, table_at(&t->rows, row)[at->metric].t);
	return str_id(&to->units, unit ? unit : "", unit ? strlen(unit) : 0);
}

/* ---- reading */

/* The numbers of a row, one item for each; false: it has none. */
static bool add_numbers(plot_items *to, const chosen *at, const read_table *t, size_t row, plot_item it)
{
	bool timeline = at->c->kind == PLOT_TIMELINE, drawn = false;
	int a = timeline ? at->start : at->along;

	for (size_t v = 0; v < (at->values.n ? at->values.n : 1); v++) {
		int b = timeline ? at->end : at->values.n ? at->values.v[v] : at->along;
		it.a = (double)row;
		if ((a >= 0 && !read_table_number(t, row, a, &it.a)) || !read_table_number(t, row, b, &it.b) ||
		    fabs(it.a) > LARGEST || fabs(it.b) > LARGEST)
			continue;
		it.series = at->c->color ? it.series : (uint32_t)v;
		vec_push(&to->all, it);
		drawn = true;
	}
	return drawn;
}

static void add_row(plot_items *to, const chosen *at, size_t from, size_t row)
{
	const read_table *t = &to->in->tables[from].table;
	bool several = to->in->ntables > 1, down = several && at->c->kind == PLOT_TIMELINE,
		label = at->c->table_in_label;
	int64_t key[3];
	plot_item it = { 0 };

	key[0] = name_row(to, &to->rows, from, down, row, &at->rank, -1);
	key[1] = unit_of(to, at, t, row);
	key[2] = name_row(to, &to->cols, from, several && !down && !label, row, &at->panel, -1);
	it.slot = name_row(to, &to->slots, from, several && label, row, &at->label, at->tid);
	if (at->c->color)
		it.series = name_row(to, &to->series, from, false, row, &at->color, -1);
	it.panel = (uint32_t)group_of(&to->panels, key);
	to->missing += !add_numbers(to, at, t, row, it);
}

/* Names that are too many for the colors are told apart without their digits. */
static void fold_series(plot_items *to)
{
	str_pool folded = { 0 };
	size_t n = to->series.n;        /* the pool grows by the folded names */
	uint32_t *place = mem_new(uint32_t, n + 1);

	for (size_t i = 0; i < n; i++) {
		const char *name = str_at(&to->series, str_fold(&to->series, (uint32_t)i));
		place[i] = str_id(&folded, name, strlen(name));
	}
	for (size_t i = 0; i < to->all.n; i++)
		to->all.v[i].series = place[to->all.v[i].series];
	free(place);
	str_free(&to->series);
	to->series = folded;
}

void plot_items_read(const inputs *in, const plot_params *p, const plot_choice *c, plot_items *to)
{
	chosen at = { .c = c };

	to->in = in;
	to->p = p;
	to->panels.width = 3;
	look_at_names(to);
	for (size_t i = 0; !c->color && i < (c->values.n ? c->values.n : 1); i++) {
		const char *name = c->values.n ? plot_words(&to->texts, c->values.v[i]) : "";
		str_id(&to->series, name, strlen(name));
	}
	for (size_t i = 0; i < in->ntables; i++) {
		find_chosen(&in->tables[i].table, &at);
		for (size_t r = 0; r < plot_rows(&in->tables[i].table, p); r++)
			if (plot_draws(p, r))
				add_row(to, &at, i, r);
	}
	vec_free(&at.rank);
	vec_free(&at.panel);
	vec_free(&at.label);
	vec_free(&at.color);
	vec_free(&at.values);
	if (c->color && to->series.n > PLOT_HUES &&
	    (strcmp(c->color, "name") == 0 || strcmp(c->color, "nvtx") == 0 || strcmp(c->color, "path") == 0))
		fold_series(to);
}

const char *plot_shared(plot_items *items, const char *column, arena *to)
{
	joined one = { 0 };
	bool same = true;

	for (size_t i = 0; i < items->in->ntables && same; i++) {
		const read_table *t = &items->in->tables[i].table;
		int col = read_table_column(t, column);
		const table_cell *last = NULL;
		same = col >= 0;
		for (size_t r = 0; same && r < table_rows(&t->rows); r++) {
			const table_cell *cell = &table_at(&t->rows, r)[col];
			joined next = { 0 };
			if (!plot_draws(items->p, r) || (last && last->i == cell->i))
				continue;
			last = cell;
			join_cell(items, &next, t, r, col);
			same = next.n && (!one.n || strcmp(one.v, next.v) == 0);
			vec_free(&one);
			one = next;
		}
	}
	const char *found = same && one.n && strcmp(one.v, "-") != 0 ? arena_text(to, one.v, one.n) : NULL;
	vec_free(&one);
	return found;
}

void plot_items_free(plot_items *items)
{
	vec_free(&items->all);
	group_free(&items->panels);
	str_free(&items->rows);
	str_free(&items->units);
	str_free(&items->cols);
	str_free(&items->slots);
	str_free(&items->series);
	str_free(&items->traces);
	str_free(&items->stems);
	str_free(&items->tables);
	arena_free(&items->texts);
}
