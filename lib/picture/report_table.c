#include "picture/report_parts.h"
#include "base/sort.h"
#include "base/text.h"
#include "table/apart.h"
#include "table/column_about.h"
#include "table/format.h"

#include <fnmatch.h>
#include <string.h>

typedef struct {
	report *r;
	report_part *part;
	const table *t;
	vec(uint32_t) rows;     /* the rows that are shown, in order */
	size_t candidates;      /* the number of rows from which these were chosen */
} report_table_ctx;

/* ---- which rows */

typedef struct {
	const table *t;
	int column;
} most_ctx;

static int report_table_compare_most(uint32_t a, uint32_t b, const void *ctx)
{
	const most_ctx *m = ctx;
	int64_t x = table_at(m->t, a)[m->column].i, y = table_at(m->t, b)[m->column].i;

	return x != y ? sort_3way(y, x) : sort_3way(a, b);
}

bool report_is_drawn(const report *r, const table *t, size_t row)
{
	size_t first = row;

	if (r->drawn == SIZE_MAX || !report_same_window(t, row, r->typical, r->drawn))
		return false;
	while (first && report_same_window(t, first - 1, r->typical, r->drawn))
		first--;
	return table_find(t, row, "gpu")->i == table_find(t, first, "gpu")->i;
}

/* Does the block list the fact in this row?  keys: names of facts, which may be patterns, separated by blanks. */
static bool report_table_lists_fact(report *r, const report_part *part, const char *keys, size_t row)
{
	char *rest = NULL, *names = arena_copy(&r->texts, keys);

	for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		if (fnmatch(name, table_find(&part->rows, row, "key")->t, 0) == 0)
			return true;
	return false;
}

/* Choose the rows to show, by these settings of the block.  only: and keys: say which rows are candidates.  rows: says
 * how many candidates are shown.  With by: or worst:, they are those with the most of the column that it names, in
 * descending order for by:, in the order of the table for worst:.  Without both, they are the first ones. */
static void report_table_choose_rows(report_table_ctx *s)
{
	const char *by = report_setting(s->r, s->part, "by"), *worst = report_setting(s->r, s->part, "worst"),
		*count = report_setting(s->r, s->part, "rows");
	const char *only = report_setting(s->r, s->part, "only"), *keys = report_setting(s->r, s->part, "keys");
	bool drawn = only && strcmp(only, "drawn") == 0;
	const char *path = only && !drawn && s->r->drawn != SIZE_MAX ?
		table_find(s->r->typical, s->r->drawn, "trace")->t : NULL;
	size_t n = count ? (size_t)atol(count) : SIZE_MAX;

	for (uint32_t i = 0; i < table_rows(s->t); i++)
		if ((drawn ? report_is_drawn(s->r, s->t, i) : report_is_of_trace(s->t, i, path)) &&
		    (!keys || report_table_lists_fact(s->r, s->part, keys, i)))
			vec_push(&s->rows, i);
	s->candidates = s->rows.n;
	if (by || (worst && s->candidates > n))
		sort_items(s->rows.v, s->candidates, report_table_compare_most,
			   &(most_ctx){ s->t, table_column(s->t, by ? by : worst) });
	s->rows.n = s->candidates < n ? s->candidates : n;
	if (worst)
		sort_numbers(s->rows.v, s->rows.n);
}

/* ---- which columns */

/* Format a cell of the i-th shown row; NULL: the cell is empty, or there is no such column. */
static const char *report_table_cell_of(const report_table_ctx *s, size_t i, const char *column, char buf[FORMAT_CELL])
{
	int col = table_column(s->t, column);

	return col < 0 ? NULL : format_cell(&s->t->cols.v[col], table_at(s->t, s->rows.v[i])[col], buf, FORMAT_CELL);
}

/* Do the shown rows differ in a column? */
static bool report_table_varies(const report_table_ctx *s, const char *column)
{
	char first[FORMAT_CELL], other[FORMAT_CELL];
	const char *a = report_table_cell_of(s, 0, column, first), *b;

	for (size_t i = 1; i < s->rows.n; i++) {
		b = report_table_cell_of(s, i, column, other);
		if (!a != !b || (a && strcmp(a, b) != 0))
			return true;
	}
	return false;
}

/* Do two processes in the shown rows have the same rank? */
static bool report_table_repeats_rank(const report_table_ctx *s)
{
	for (size_t i = 0; i < s->rows.n && table_column(s->t, "rank") >= 0; i++)
		for (size_t k = 0; k < i; k++)
			if (table_find(s->t, s->rows.v[i], "rank")->i == table_find(s->t, s->rows.v[k], "rank")->i &&
			    table_find(s->t, s->rows.v[i], "pid")->i != table_find(s->t, s->rows.v[k], "pid")->i)
				return true;
	return false;
}

static bool report_table_is_empty(const report_table_ctx *s, const char *column)
{
	char buf[FORMAT_CELL];

	for (size_t i = 0; i < s->rows.n; i++)
		if (report_table_cell_of(s, i, column, buf))
			return false;
	return true;
}

typedef struct {
	const char *name;       /* the column of the table; NULL: bars, or the meanings of the words of another
				 * column */
	const char *title;      /* its title; NULL: the column's name; "": bars, which have no title */
} column;

typedef vec(column) columns;

/* Choose the columns, in this order: rank, process and GPU, as far as they tell rows apart; the block's columns
 * (written NAME or NAME=TITLE), except empty ones; bars; meanings; and the trace, if the rows are of several traces
 * and have no ranks. */
static columns report_table_choose_columns(report_table_ctx *s)
{
	const char *list = report_setting(s->r, s->part, "columns");
	bool ranks = !report_table_is_empty(s, "rank"), traces = report_table_varies(s, "trace");
	columns chosen = { 0 };

	if (report_table_varies(s, "rank"))
		vec_push(&chosen, (column){ "rank", NULL });
	if (report_table_repeats_rank(s))
		vec_push(&chosen, (column){ "pid", "process" });
	if (report_table_varies(s, "gpu"))
		vec_push(&chosen, (column){ "gpu", "GPU" });
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), name = strcspn(p, " =");
		column c = { arena_text(&s->r->texts, p, name),
			name < n ? arena_text(&s->r->texts, p + name + 1, n - name - 1) : NULL };
		if (!report_table_is_empty(s, c.name))
			vec_push(&chosen, c);
		p += n;
	}
	if (report_setting(s->r, s->part, "bar") && !s->r->page_only)
		vec_push(&chosen, (column){ NULL, "" });
	if (report_setting(s->r, s->part, "explain"))
		vec_push(&chosen, (column){ NULL, "meaning" });
	if (traces && !ranks)
		vec_push(&chosen, (column){ "trace", NULL });
	return chosen;
}

/* ---- writing */

static bool report_table_is_number(const report_table_ctx *s, const column *c)
{
	return c->name && s->t->cols.v[table_column(s->t, c->name)].type != 't';
}

/* Write the title of a column: the template's title or, without one, the column's name without its unit, which the
 * cells show.  Percentages keep their unit. */
static void report_table_write_title(const report_table_ctx *s, const column *c, FILE *to)
{
	const char *text = c->title ? c->title : c->name,
		*unit = report_table_is_number(s, c) ? s->t->cols.v[table_column(s->t, c->name)].unit : NULL,
		*cut = c->title || !unit || !column_unit(c->name) ? NULL : strrchr(text, '_');
	size_t n = cut ? (size_t)(cut - text) : strlen(text);

	if (strcmp(text, "pct") == 0) {
		fputs("share (%)", to);
		return;
	}
	for (size_t i = 0; i < n; i++)
		fputc(text[i] == '_' ? ' ' : text[i], to);
	fputs(unit && strcmp(unit, "%") == 0 ? " (%)" : "", to);
}

static bool report_table_is_word(const char *s)
{
	return strlen(s) < 16 && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.- ")];
}

/* Format the amount in a cell, with three significant figures; NULL: the cell holds no amount. */
static const char *report_table_format_amount(const report_table_ctx *s, const column *c, size_t i,
					      char buf[NUMBER_AMOUNT_SIZE])
{
	int col = table_column(s->t, c->name);
	const char *unit = s->t->cols.v[col].unit;
	double v;

	if (unit && strcmp(unit, TABLE_UNIT) == 0)
		unit = table_find(s->t, s->rows.v[i], TABLE_UNIT)->t;
	if (!report_table_is_number(s, c) || !table_number(s->t, s->rows.v[i], col, &v))
		return NULL;
	if (number_amount(v, unit, buf))
		return buf;
	return s->t->cols.v[col].type == 'd' ? number_figures(v, buf) : NULL;
}

/* Write a bar for the row.  Its length is the ratio of the row's value to the greatest value of the column, in
 * eighths of a character. */
static void report_table_write_bar(const report_table_ctx *s, size_t i, FILE *to)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	enum { WIDE = 20 };
	int col = table_column(s->t, report_setting(s->r, s->part, "bar"));
	double most = 0, v;
	size_t n;

	for (size_t k = 0; k < s->rows.n; k++)
		if (table_number(s->t, s->rows.v[k], col, &v) && v > most)
			most = v;
	n = most > 0 && table_number(s->t, s->rows.v[i], col, &v) && v > 0 ? (size_t)(v / most * WIDE * 8 + 0.5) : 0;
	for (size_t k = 0; k < n / 8; k++)
		fputs("█", to);
	fputs(eighths[n % 8], to);
}

static void report_table_write_cell(report_table_ctx *s, const column *c, size_t i, FILE *to)
{
	const char *explain = report_setting(s->r, s->part, "explain"), *text, *amount;
	char buf[FORMAT_CELL], figures[NUMBER_AMOUNT_SIZE];

	if (!c->name && !*c->title) {
		report_table_write_bar(s, i, to);
		return;
	}
	if (!c->name) {
		text = report_table_cell_of(s, i, explain, buf);
		text = text ? report_meaning(text) : NULL;
		md_text(to, text ? text : "");
		return;
	}
	text = report_table_cell_of(s, i, c->name, buf);
	amount = report_table_format_amount(s, c, i, figures);
	if (!text || amount || report_table_is_number(s, c) || report_table_is_word(text))
		fputs(amount ? amount : text ? text : "-", to);
	else
		md_name(to, strcmp(c->name, "trace") == 0 ? report_shorten(s->r, text) : text, true);
}

/* Write what the numbers are about: the block's of: or, if there are no steps, its whole:.  If there are several
 * traces, and the rows are about one of them as a whole (without pids), also write this trace. */
static void report_table_write_scope(report_table_ctx *s, FILE *to)
{
	const char *steps = report_setting(s->r, s->part, "of"), *whole = report_setting(s->r, s->part, "whole");
	const char *scope = whole && !report_has_steps(s->r, NULL) ? whole : steps;
	bool names_trace = s->r->traces.n > 1 && !report_table_varies(s, "trace") &&
		!report_table_cell_of(s, 0, "pid", (char[FORMAT_CELL]){ 0 }) && table_column(s->t, "before") < 0;

	fputs(scope ? scope : names_trace ? "In " : "", to);
	if (names_trace) {
		fputs(scope ? ", in " : "", to);
		md_name(to, report_shorten(s->r, table_find(s->t, s->rows.v[0], "trace")->t), false);
	}
	fputs(scope || names_trace ? ":\n\n" : "", to);
}

static void report_table_write_table(report_table_ctx *s, FILE *to)
{
	columns cols = report_table_choose_columns(s);

	fputc('\n', to);
	report_table_write_scope(s, to);
	for (size_t c = 0; c < cols.n; c++) {
		fputs("| ", to);
		report_table_write_title(s, &cols.v[c], to);
		fputs(c + 1 < cols.n ? " " : " |\n", to);
	}
	for (size_t c = 0; c < cols.n; c++)
		fprintf(to, "%s%s", report_table_is_number(s, &cols.v[c]) ? "|--:" : "|---",
			c + 1 < cols.n ? "" : "|\n");
	for (size_t i = 0; i < s->rows.n; i++)
		for (size_t c = 0; c < cols.n; c++) {
			fputs("| ", to);
			report_table_write_cell(s, &cols.v[c], i, to);
			fputs(c + 1 < cols.n ? " " : " |\n", to);
		}
	vec_free(&cols);
}

/* ---- the fold below a table: what all its rows are about, where all rows are, and the command */

const char *report_describe_process(report *r, const table *t, size_t row)
{
	char buf[FORMAT_CELL];
	int pid = table_column(t, "pid");
	int64_t rank = table_find(t, row, "rank")->i;
	const char *text = format_cell(&t->cols.v[pid], table_at(t, row)[pid], buf, sizeof buf);

	if (rank != TABLE_MISSING)
		return arena_printf(&r->texts, "rank %lld", (long long)rank);
	return text ? arena_printf(&r->texts, "process %s", text) : "all processes";
}

void report_write_process(report *r, const table *t, size_t row, FILE *to)
{
	fputs(report_describe_process(r, t, row), to);
	if (table_find(t, row, "rank")->i == TABLE_MISSING && r->traces.n > 1) {
		fputs(" of ", to);
		md_name(to, report_shorten(r, table_find(t, row, "trace")->t), false);
	}
}

static const char *report_table_describe_shared(report_table_ctx *s)
{
	char *text = NULL, from[APART_SIZE], until[APART_SIZE];
	size_t n = 0;
	FILE *to = text_open(&text, &n);
	const char *copy;

	if (s->rows.n && !report_table_varies(s, "pid") && !report_table_varies(s, "trace") &&
	    table_column(s->t, "rank") >= 0) {
		report_write_process(s->r, s->t, s->rows.v[0], to);
		if (!report_table_varies(s, "start_ns") && !report_table_varies(s, "end_ns")) {
			int64_t ns[] = { table_find(s->t, s->rows.v[0], "start_ns")->i,
				table_find(s->t, s->rows.v[0], "end_ns")->i };
			apart_moments how = apart_moments_of(ns, 1, 2);
			fprintf(to, ", %s to %s", apart_format(how, ns[0], from), apart_format(how, ns[1], until));
		}
		fputs("; ", to);
	}
	fprintf(to, s->part->limit && table_rows(s->t) == (size_t)s->part->limit ?
		"%zu of the first %zu rows, which are in " :
		s->rows.n < table_rows(s->t) ? "%zu of %zu rows, all of which are in " :
		"all rows, with more columns, are in ", s->rows.n, table_rows(s->t));
	fprintf(to, s->r->page_only ? "[tables/%s.csv](tables/%s.csv): " : "`tables/%s.csv`: ", s->part->name,
		s->part->name);
	text_close(to);
	copy = arena_copy(&s->r->texts, text);
	free(text);
	return copy;
}

/* ---- blocks */

/* Does a process differ from the first one in what bounds it, or in a time by more than a twentieth of the first
 * one's step? */
bool report_processes_differ(report *r)
{
	static const char *const times[] = { "step_ns", "busy_ns", "cpu_ns", "idle_ns" };
	const table *t = report_rows(r, "verdict");
	int64_t step = table_rows(t) ? table_find(t, 0, "step_ns")->i : 0;

	for (size_t i = 1; i < table_rows(t); i++) {
		const char *a = table_find(t, i, "bound")->t, *b = table_find(t, 0, "bound")->t;
		if (!a != !b || (a && strcmp(a, b) != 0))
			return true;
		for (size_t c = 0; c < sizeof times / sizeof *times; c++)
			if (llabs(table_find(t, i, times[c])->i - table_find(t, 0, times[c])->i) > step / 20)
				return true;
	}
	return false;
}

/* Is the condition of the block (when:) met?  one: the part step_kernels has one group of rows, so its steps are those
 * of one process. */
static bool report_table_meets_condition(report *r, const report_part *part)
{
	const char *when = report_setting(r, part, "when");
	bool one = report_has_steps(r, NULL) && report_rows(r, "step_kernels")->groups.n == 1;

	return !when || (strcmp(when, "differ") == 0 ? report_processes_differ(r) : strcmp(when, "one") == 0 ? one :
		strcmp(when, "several") == 0 ? !one : strcmp(when, "two") == 0 ? r->traces.n == 2 :
		report_has_steps(r, NULL));
}

void report_write_table(report *r, report_part *part, FILE *to)
{
	const char *cols = report_setting(r, part, "columns"), *draw = report_setting(r, part, "draw"),
		*also = report_setting(r, part, "also");
	report_table_ctx s = { .r = r, .part = part, .t = &part->rows };
	vec(const char *) commands = { 0 };

	if (!table_rows(&part->rows) || !(cols || (draw && r->page_only)) || !report_table_meets_condition(r, part))
		return;
	report_table_choose_rows(&s);
	if (draw && r->page_only)
		fprintf(to, "\n" REPORT_MARK "%s -->\n", part->name);
	if (cols && s.rows.n)
		report_table_write_table(&s, to);
	vec_push(&commands, report_shorten(r, report_command(r, part)));
	for (const char *p = also; p && *p; p += strspn(p, " ")) {
		const report_part *other = report_part_of(r, arena_text(&r->texts, p, strcspn(p, " ")));
		if (other->there)
			vec_push(&commands, report_shorten(r, report_command(r, other)));
		p += strcspn(p, " ");
	}
	md_write_fold(to, "", cols ? report_table_describe_shared(&s) : "", commands.v, commands.n);
	vec_free(&commands);
	vec_free(&s.rows);
}
