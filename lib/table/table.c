#include "table/table.h"
#include "table/format.h"
#include "cli/errors.h"
#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Columns that mean the same in every table. */
static const table_col common[] = {
	{ "pid", 'i', NULL, "process; - for all together" },
	{ "rank", 'i', NULL, "rank in the setup label of the process" },
	{ "start_ns", 'i', "ns", "where the row holds: from here" },
	{ "end_ns", 'i', "ns", "up to here, exclusive" },
	{ "gpu", 'i', NULL, "device" },
	{ "ctx", 'i', NULL, "CUDA context" },
	{ "stream", 'i', NULL, "CUDA stream" },
	{ "launch_ns", 'i', "ns", "start of the call that launched it" },
	{ "window", 't', NULL, "name of the window it answers" },
	{ "trace", 't', NULL, "file it comes from" },
	{ 0 }
};

enum table_format table_format_named(const char *s)
{
	static const char *const names[] = {
		[TABLE_TSV] = "tsv", [TABLE_ALIGNED] = "table", [TABLE_CSV] = "csv",
		[TABLE_JSONL] = "jsonl", [TABLE_MD] = "md",
	};

	for (int i = TABLE_TSV; i <= TABLE_MD; i++)
		if (strcmp(s, names[i]) == 0)
			return (enum table_format)i;
	return TABLE_AUTO;
}

void table_add(table *t, const table_col *c)
{
	vec_push(&t->cols, *c);
}

static const table_col *named(const table_col *in, const char *name, size_t len)
{
	while (in->name && (strncmp(in->name, name, len) != 0 || in->name[len]))
		in++;
	return in->name ? in : NULL;
}

static void add_named(table *t, const table_col *own, const char *names)
{
	for (const char *p = names; *(p += strspn(p, " ")); p += strcspn(p, " ")) {
		size_t len = strcspn(p, " ");
		const table_col *c = named(own, p, len);
		if (!c && !(c = named(common, p, len)))
			die(EXIT_FAILED, "no column '%.*s' is described", (int)len, p);
		table_add(t, c);
	}
}

void table_columns(table *t, const table_col *all, const char *names)
{
	add_named(t, common, "pid rank start_ns end_ns");
	add_named(t, all, names);
	add_named(t, common, "window trace");
}

void table_sort(table *t, const char *column, bool down)
{
	for (size_t i = 0; i < t->cols.n; i++)
		if (strcmp(t->cols.v[i].name, column) == 0) {
			vec_reserve(&t->keys, t->keys.n + 1);
			t->keys.v[t->keys.n].col = (int)i;
			t->keys.v[t->keys.n++].down = down;
		}
}

void table_open(table *t, enum table_format f)
{
	emit_begin();
	t->format = f != TABLE_AUTO ? f : isatty(STDOUT_FILENO) ? TABLE_ALIGNED : TABLE_TSV;
}

void table_int(table *t, int64_t v)
{
	vec_push(&t->cells, (table_cell){ .i = v });
}

void table_num(table *t, double v)
{
	vec_push(&t->cells, (table_cell){ .d = v });
}

void table_pct(table *t, int64_t part, int64_t whole)
{
	table_num(t, whole ? 100.0 * (double)part / (double)whole : NAN);
}

void table_text(table *t, const char *s)
{
	vec_push(&t->cells, (table_cell){ .t = s });
}

static int compare_cells(char type, table_cell a, table_cell b)
{
	if (type == 'i')
		return sort_3way(a.i, b.i);
	if (type == 'd')        /* missing first, as for the other types */
		return isnan(a.d) || isnan(b.d) ? isnan(b.d) - isnan(a.d) : sort_3way(a.d, b.d);
	if (!a.t || !b.t)
		return (a.t != NULL) - (b.t != NULL);
	return strcmp(a.t, b.t);
}

static int compare_rows(uint32_t a, uint32_t b, const void *ctx)
{
	const table *t = ctx;
	const table_cell *x = &t->cells.v[a * t->cols.n], *y = &t->cells.v[b * t->cols.n];
	int c = 0;

	for (size_t k = 0; !c && k < t->keys.n; k++) {
		int col = t->keys.v[k].col;
		c = compare_cells(t->cols.v[col].type, x[col], y[col]);
		if (t->keys.v[k].down)
			c = -c;
	}
	for (size_t i = 0; !c && i < t->cols.n; i++)
		c = compare_cells(t->cols.v[i].type, x[i], y[i]);
	return c;
}

/* Millions of these are printed: the digits, up to the end of a buffer. */
static const char *int_text(int64_t v, char *end)
{
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;

	*--end = 0;
	do
		*--end = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*--end = '-';
	return end;
}

/* The text of a cell, in buf where it is a number; NULL when it is missing. */
static const char *cell_text(char type, table_cell c, char *buf, size_t size)
{
	if (type == 't')
		return c.t;
	if (type == 'i' ? c.i == TABLE_MISSING : !isfinite(c.d))
		return NULL;
	if (type == 'i')
		return int_text(c.i, buf + size);
	snprintf(buf, size, "%.2f", c.d);
	return buf;
}

static void print_row(table *t, const table_cell *row)
{
	char buf[400];

	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		const char *s = cell_text(c->type, row[i], buf, sizeof buf);
		if (t->format == TABLE_ALIGNED || t->format == TABLE_MD)
			vec_push(&t->kept, emit_visible(s ? s : "-", t->format == TABLE_MD));
		else
			emit_cell(t->format, c->name, s, c->type != 't', i == 0, i + 1 == t->cols.n);
	}
	t->rows++;
}

static void print_header(table *t)
{
	for (size_t i = 0; i < t->cols.n; i++) {
		const char *name = t->cols.v[i].name;
		if (t->format == TABLE_ALIGNED || t->format == TABLE_MD)
			vec_push(&t->kept, emit_visible(name, t->format == TABLE_MD));
		else if (t->format != TABLE_JSONL)
			emit_cell(t->format, name, name, false, i == 0, i + 1 == t->cols.n);
	}
	t->headed = true;
}

void table_flush(table *t, int64_t limit)
{
	size_t n = t->cols.n ? t->cells.n / t->cols.n : 0, show = n;
	uint32_t *order = t->given_order ? NULL : sort_order(n, compare_rows, t);

	if (!t->headed && n)
		print_header(t);
	if (limit > 0 && (size_t)limit < n)
		show = (size_t)limit;
	for (size_t i = 0; i < show; i++)
		print_row(t, &t->cells.v[(order ? order[i] : i) * t->cols.n]);
	t->cut += n - show;
	t->cells.n = 0;
	free(order);
}

void table_header(table *t)
{
	if (!t->headed)
		print_header(t);
}

void table_describe(const table *columns, table *out)
{
	static const table_col head[] = {
		{ "name", 't', NULL, NULL }, { "type", 't', NULL, NULL },
		{ "unit", 't', NULL, NULL }, { "meaning", 't', NULL, NULL },
	};

	for (int i = 0; i < 4; i++)
		table_add(out, &head[i]);
	print_header(out);
	for (size_t i = 0; i < columns->cols.n; i++) {
		const table_col *c = &columns->cols.v[i];
		table_cell row[] = { { .t = c->name },
			{ .t = c->type == 'i' ? "integer" : c->type == 'd' ? "decimal" : "text" },
			{ .t = c->unit }, { .t = c->meaning } };
		print_row(out, row);
	}
}

int table_close(table *t)
{
	if (t->headed && (t->format == TABLE_ALIGNED || t->format == TABLE_MD)) {
		char *types = mem_new(char, t->cols.n);
		for (size_t i = 0; i < t->cols.n; i++)
			types[i] = t->cols.v[i].type;
		emit_aligned(t->kept.v, t->kept.n, types, t->cols.n, t->format == TABLE_MD);
		free(types);
	}
	for (size_t i = 0; i < t->kept.n; i++)
		free(t->kept.v[i]);
	vec_free(&t->kept);
	vec_free(&t->cells);
	vec_free(&t->cols);
	vec_free(&t->keys);
	if (t->cut)
		note("%zu more row%s left out by -n; leave it out to see them all", t->cut, t->cut > 1 ? "s" : "");
	emit_end();
	return err_status;
}
