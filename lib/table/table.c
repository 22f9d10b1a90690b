#include "table/table.h"
#include "base/glossary.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const table_col common[] = {
	[COL_PID] = { "pid", 'p', NULL, "process; - for all processes together" },
	[COL_RANK] = { "rank", 'i', NULL, "rank from the setup label of the process" },
	[COL_START] = { "start_ns", 'i', "ns", "start of the window this row describes" },
	[COL_END] = { "end_ns", 'i', "ns", "end of that window; the moment itself is outside" },
	[COL_GPU] = { "gpu", 'i', NULL, "device; - for all devices of the process" },
	[COL_CTX] = { "ctx", 'i', NULL, "CUDA context" },
	[COL_STREAM] = { "stream", 'i', NULL, "CUDA stream" },
	[COL_LAUNCH] = { "launch_ns", 'i', "ns", "start of the call that launched the work" },
	[COL_WINDOW] = { "window", 't', NULL, "name of the window this row describes" },
	[COL_TRACE] = { "trace", 't', NULL, "file the row comes from" },
};

static table_cell table_missing_cell(char type)
{
	if (table_has_text(type))
		return (table_cell){ .t = NULL };
	return type == 'd' ? (table_cell){ .d = NAN } : (table_cell){ .i = TABLE_MISSING };
}

void table_add(table *t, int id, const table_col *c)
{
	vec_push(&t->cols, *c);
	t->slot[id] = (uint16_t)t->cols.n;
	vec_push(&t->blank, table_missing_cell(c->type));
}

void table_add_common(table *t, int id)
{
	table_add(t, id, &common[id]);
}

void table_drop_last(table *t, int id)
{
	size_t n = t->cols.n, rows = n ? t->cells.n / n : 0;

	if (!n || t->slot[id] != n)
		return;
	for (size_t i = 0; i < rows; i++)
		memmove(&t->cells.v[i * (n - 1)], &t->cells.v[i * n], (n - 1) * sizeof *t->cells.v);
	t->cells.n = rows * (n - 1);
	t->cols.n = t->blank.n = n - 1;
	t->slot[id] = 0;
}

void table_list(table *t, const table_col *own, const int *ids)
{
	static const int first[] = { COL_PID, COL_RANK, COL_START, COL_END, COL_GPU },
		last[] = { COL_WINDOW, COL_TRACE };

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		table_add_common(t, first[i]);
	for (; *ids != COL_LAST; ids++)
		if (*ids != COL_NONE)
			table_add(t, *ids, *ids < COL_OWN ? &common[*ids] : &own[*ids - COL_OWN]);
	for (size_t i = 0; i < sizeof last / sizeof *last; i++)
		table_add_common(t, last[i]);
}

void table_sort(table *t, int id, bool down)
{
	if (!t->slot[id])
		return;
	vec_reserve(&t->keys, t->keys.n + 1);
	t->keys.v[t->keys.n].col = t->slot[id] - 1;
	t->keys.v[t->keys.n++].down = down;
}

static int table_compare_cells(char type, table_cell a, table_cell b)
{
	if (type == 'd')        /* a missing value is the smallest, as for the other types */
		return isnan(a.d) || isnan(b.d) ? isnan(b.d) - isnan(a.d) : sort_3way(a.d, b.d);
	if (!table_has_text(type))
		return sort_3way(a.i, b.i);
	if (a.t == b.t)
		return 0;
	return !a.t || !b.t ? (a.t != NULL) - (b.t != NULL) : strcmp(a.t, b.t);
}

static int table_compare_rows(uint32_t a, uint32_t b, const void *ctx)
{
	const table *t = ctx;
	const table_cell *x = &t->cells.v[a * t->cols.n], *y = &t->cells.v[b * t->cols.n];
	int c = 0;

	for (size_t k = 0; !c && k < t->keys.n; k++) {
		int col = t->keys.v[k].col;
		c = table_compare_cells(t->cols.v[col].type, x[col], y[col]);
		if (t->keys.v[k].down)
			c = -c;
	}
	for (size_t i = 0; !c && i < t->cols.n; i++)
		c = table_compare_cells(t->cols.v[i].type, x[i], y[i]);
	return c;
}

enum { ROWS_TO_SORT = 4096 };   /* table_keep_first sorts when a group has this many rows more than `most` */

/* Drop the rows of the current group that sort after its first t->most rows.  This is called when all cells of a row
 * have been set.  The group is sorted and cut whenever it has ROWS_TO_SORT rows too many, and at its end (at_end).
 * After the first cut (t->sorted), the new row is dropped at once if it sorts after the last kept one.  If the table
 * keeps the order in which rows were added, every row beyond t->most is dropped at once. */
static void table_keep_first(table *t, bool at_end)
{
	size_t from = t->groups.n ? t->groups.v[t->groups.n - 1] : 0, n = table_rows(t) - from, width = t->cols.n;
	uint32_t *order;
	table_cell *kept;

	if (n <= t->most)
		return;
	if (t->given_order ||
	    (t->sorted && table_compare_rows((uint32_t)(from + n - 1), (uint32_t)(from + t->most - 1), t) >= 0)) {
		t->cells.n -= width;
		n--;
	}
	if (t->given_order || n == t->most || (!at_end && n < t->most + ROWS_TO_SORT))
		return;
	order = mem_new(uint32_t, n);
	kept = mem_new(table_cell, t->most * width);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)(from + i);
	sort_items(order, n, table_compare_rows, t);
	for (size_t i = 0; i < t->most; i++)
		memcpy(&kept[i * width], &t->cells.v[order[i] * width], width * sizeof *kept);
	memcpy(&t->cells.v[from * width], kept, t->most * width * sizeof *kept);
	t->cells.n = (from + t->most) * width;
	t->sorted = !at_end;
	mem_free(order, kept);
}

bool table_would_drop(const table *t, int id, int64_t v)
{
	size_t from = t->groups.n ? t->groups.v[t->groups.n - 1] : 0, col = (size_t)t->slot[id] - 1;
	int64_t last;

	if (!t->sorted || !t->keys.n || (size_t)t->keys.v[0].col != col)
		return false;
	last = t->cells.v[(from + t->most - 1) * t->cols.n + col].i;
	return t->keys.v[0].down ? v < last : v > last;
}

void table_row(table *t)
{
	if (t->most)
		table_keep_first(t, false);
	vec_reserve(&t->cells, t->cells.n + t->cols.n);
	memcpy(t->cells.v + t->cells.n, t->blank.v, t->cols.n * sizeof *t->cells.v);
	t->cells.n += t->cols.n;
}

static inline void table_set_cell(table *t, int id, table_cell c)
{
	if (t->slot[id])
		t->cells.v[t->cells.n - t->cols.n + t->slot[id] - 1] = c;
}

void table_int(table *t, int id, int64_t v)
{
	table_set_cell(t, id, (table_cell){ .i = v });
}

void table_int_list(table *t, const table_int_cell *cells)
{
	for (; cells->id != COL_LAST; cells++)
		table_int(t, cells->id, cells->v);
}

void table_pid(table *t, int64_t pid, int64_t sub)
{
	table_set_cell(t, COL_PID, (table_cell){ .i = pid * TABLE_SUBS + sub + 1 });
}

void table_row_of(table *t, int64_t pid, int64_t sub, int64_t rank, int64_t start, int64_t end)
{
	table_row(t);
	if (pid >= 0)
		table_pid(t, pid, sub);
	table_int(t, COL_RANK, rank < 0 ? TABLE_MISSING : rank);
	table_int(t, COL_START, start);
	table_int(t, COL_END, end);
}

void table_stats(table *t, table_stats_ids ids, const stats_summary *s)
{
	table_int(t, ids.count, s->count);
	table_int(t, ids.total, s->total);
	table_int(t, ids.mean, s->mean);
	table_int(t, ids.p50, s->p50);
	table_int(t, ids.p90, s->p90);
	table_int(t, ids.p99, s->p99);
	table_int(t, ids.min, s->min);
	table_int(t, ids.max, s->max);
}

void table_num(table *t, int id, double v)
{
	table_set_cell(t, id, (table_cell){ .d = v });
}

void table_pct(table *t, int id, int64_t part, int64_t whole)
{
	table_num(t, id, whole ? 100.0 * (double)part / (double)whole : NAN);
}

const char *table_keep(table *t, const char *s)
{
	uint32_t id;

	if (!s)
		return NULL;
	id = str_id(&t->texts, s, strlen(s));
	return t->texts.text[id];
}

void table_text(table *t, int id, const char *s)
{
	if (t->slot[id])
		table_set_cell(t, id, (table_cell){ .t = table_keep(t, s) });
}

void table_word(table *t, int id, const char *s)
{
	table_set_cell(t, id, (table_cell){ .t = s });
}

void table_use_pool(table *t, const str_pool *pool)
{
	t->names = pool;
	t->name_text.n = 0;
}

void table_set_name(table *t, int id, uint32_t name)
{
	if (!t->slot[id] || name == STR_NONE)
		return;
	if (name >= t->name_text.n) {
		size_t n = t->names->n;         /* read once, because other threads may be adding names */
		vec_reserve(&t->name_text, n);
		memset(t->name_text.v + t->name_text.n, 0, (n - t->name_text.n) * sizeof *t->name_text.v);
		t->name_text.n = n;
	}
	if (!t->name_text.v[name])
		t->name_text.v[name] = table_keep(t, str_at(t->names, name));
	table_set_cell(t, id, (table_cell){ .t = t->name_text.v[name] });
}

/* Were these rows added in order? */
static bool table_is_in_order(const table *t, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++)
		if (table_compare_rows((uint32_t)i, (uint32_t)i - 1, t) < 0)
			return false;
	return true;
}

/* `order` stays empty as long as all rows of every group were added in order. */
void table_group(table *t)
{
	size_t from = t->groups.n ? t->groups.v[t->groups.n - 1] : 0, to;
	bool sorted;

	if (t->most)
		table_keep_first(t, true);
	t->sorted = false;
	to = table_rows(t);
	sorted = t->given_order || table_is_in_order(t, from, to);
	if (to == from)
		return;
	vec_push(&t->groups, to);
	if (sorted && !t->order.n)
		return;
	vec_reserve(&t->order, to);
	for (; t->order.n < to; t->order.n++)
		t->order.v[t->order.n] = (uint32_t)t->order.n;
	if (!sorted)
		sort_items(t->order.v + from, to - from, table_compare_rows, t);
}

const table_cell *table_at(const table *t, size_t row)
{
	return &t->cells.v[(t->order.n ? t->order.v[row] : row) * t->cols.n];
}

int table_column(const table *t, const char *name)
{
	for (size_t i = 0; i < t->cols.n; i++)
		if (strcasecmp(t->cols.v[i].name, name) == 0)
			return (int)i;
	return -1;
}

const table_cell *table_find(const table *t, size_t row, const char *column)
{
	int col = table_column(t, column);

	return col < 0 ? NULL : &table_at(t, row)[col];
}

bool table_number(const table *t, size_t row, int col, double *value)
{
	char type = t->cols.v[col].type;
	table_cell c = table_at(t, row)[col];

	if (type == 'n' ? !c.t : type == 'd' ? isnan(c.d) : c.i == TABLE_MISSING)
		return false;
	*value = type == 'n' ? strtod(c.t, NULL) : type == 'd' ? c.d : (double)(type == 'p' ? c.i / TABLE_SUBS : c.i);
	return true;
}

int table_id(const table *t, size_t col)
{
	int id = 0;

	while (id < COL_IDS && t->slot[id] != col + 1)
		id++;
	return id < COL_IDS ? id : COL_NONE;
}

const table_cell *table_value(const table *t, size_t row, int id)
{
	return table_at(t, row) + t->slot[id] - 1;
}

void table_change(table *t, size_t row, int id, int64_t value)
{
	t->cells.v[table_value(t, row, id) - t->cells.v].i = value;
}

void table_change_text(table *t, size_t row, int id, const char *text)
{
	t->cells.v[table_value(t, row, id) - t->cells.v].t = text;
}

void table_filter(table *t, const bool *keep)
{
	table old = *t;
	size_t row = 0;

	memset(&t->cells, 0, sizeof t->cells);
	memset(&t->order, 0, sizeof t->order);
	memset(&t->groups, 0, sizeof t->groups);
	t->given_order = false;
	for (size_t g = 0; g < old.groups.n; g++) {
		for (; row < old.groups.v[g]; row++)
			if (keep[row]) {
				table_row(t);
				memcpy(t->cells.v + t->cells.n - t->cols.n, table_at(&old, row),
				       t->cols.n * sizeof *t->cells.v);
			}
		table_group(t);
	}
	mem_free(old.cells.v, old.order.v, old.groups.v);
}

void table_clear(table *t)
{
	t->cells.n = t->order.n = t->groups.n = 0;
	str_free(&t->texts);
	table_use_pool(t, NULL);
}

void table_free(table *t)
{
	str_free(&t->texts);
	mem_free(t->cols.v, t->keys.v, t->blank.v, t->cells.v, t->order.v, t->groups.v, t->name_text.v);
	*t = (table){ 0 };
}

const char *table_type(const table_col *c)
{
	return c->type == 'd' || c->type == 'n' ? "decimal" : c->type == 't' ? "text" : "integer";
}

void table_describe(const table *columns, table *out)
{
	static const table_col head[] = {
		{ "name", 't', NULL, NULL }, { "type", 't', NULL, NULL },
		{ "unit", 't', NULL, NULL }, { "meaning", 't', NULL, NULL },
	};
	arena texts = { 0 };

	out->given_order = true;
	for (int i = 0; i < 4; i++)
		table_add(out, COL_OWN + i, &head[i]);
	for (size_t i = 0; i < columns->cols.n; i++) {
		const table_col *c = &columns->cols.v[i];
		table_row(out);
		table_text(out, COL_OWN, c->name);
		table_word(out, COL_OWN + 1, table_type(c));
		table_text(out, COL_OWN + 2, c->unit);
		table_text(out, COL_OWN + 3, c->meaning ? glossary_expand(&texts, c->meaning) : NULL);
	}
	table_group(out);
	arena_free(&texts);
}
