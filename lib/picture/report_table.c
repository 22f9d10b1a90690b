#include "picture/report_parts.h"
#include "base/sort.h"
#include "base/text.h"
#include "table/format.h"

#include <fnmatch.h>
#include <string.h>

typedef struct {
	report *r;
	report_part *part;
	const table *t;
	vec(uint32_t) rows;     /* that are shown, in order */
	size_t of;              /* how many there are to show */
} showing;

/* ---- which rows */

typedef struct {
	const table *t;
	int column;
} most_of;

static int by_most(uint32_t a, uint32_t b, const void *ctx)
{
	const most_of *m = ctx;
	int64_t x = table_at(m->t, a)[m->column].i, y = table_at(m->t, b)[m->column].i;

	return x != y ? sort_3way(y, x) : sort_3way(a, b);
}

/* A process may have several GPUs: what is drawn is about the first. */
bool report_is_drawn(const report *r, const table *t, size_t row)
{
	size_t first = row;

	if (r->drawn == SIZE_MAX || !report_same_window(t, row, r->typical, r->drawn))
		return false;
	while (first && report_same_window(t, first - 1, r->typical, r->drawn))
		first--;
	return table_named(t, row, "gpu")->i == table_named(t, first, "gpu")->i;
}

/* Is the fact one of those that the template names? */
static bool is_named(report *r, const report_part *part, const char *keys, size_t row)
{
	char *rest = NULL, *names = arena_copy(&r->texts, keys);

	for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		if (fnmatch(name, table_named(&part->rows, row, "key")->t, 0) == 0)
			return true;
	return false;
}

/* Those with the most of a column, in the order of that (by:) or of the table (worst:); else the first. */
static void choose_rows(showing *s)
{
	const char *by = report_setting(s->r, s->part, "by"), *worst = report_setting(s->r, s->part, "worst"),
		*most = report_setting(s->r, s->part, "rows");
	const char *only = report_setting(s->r, s->part, "only"), *keys = report_setting(s->r, s->part, "keys");
	bool drawn = only && strcmp(only, "drawn") == 0;
	const char *of = only && !drawn && s->r->drawn != SIZE_MAX ?
		table_named(s->r->typical, s->r->drawn, "trace")->t : NULL;
	size_t n = most ? (size_t)atol(most) : SIZE_MAX;

	for (uint32_t i = 0; i < table_rows(s->t); i++)
		if ((drawn ? report_is_drawn(s->r, s->t, i) : report_is_of(s->t, i, of)) &&
		    (!keys || is_named(s->r, s->part, keys, i)))
			vec_push(&s->rows, i);
	s->of = s->rows.n;
	if (by || (worst && s->of > n))
		sort_items(s->rows.v, s->of, by_most, &(most_of){ s->t, table_column(s->t, by ? by : worst) });
	s->rows.n = s->of < n ? s->of : n;
	if (worst)
		sort_numbers(s->rows.v, s->rows.n);
}

/* ---- which columns */

static const char *cell_of(const showing *s, size_t i, const char *column, char buf[FORMAT_CELL])
{
	int col = table_column(s->t, column);

	return col < 0 ? NULL : format_cell(&s->t->cols.v[col], table_at(s->t, s->rows.v[i])[col], buf, FORMAT_CELL);
}

/* Do the rows differ in a column? */
static bool varies(const showing *s, const char *column)
{
	char first[FORMAT_CELL], other[FORMAT_CELL];
	const char *a = cell_of(s, 0, column, first), *b;

	for (size_t i = 1; i < s->rows.n; i++) {
		b = cell_of(s, i, column, other);
		if (!a != !b || (a && strcmp(a, b) != 0))
			return true;
	}
	return false;
}

/* Have two rows of one rank different processes? */
static bool share_rank(const showing *s)
{
	for (size_t i = 0; i < s->rows.n && table_column(s->t, "rank") >= 0; i++)
		for (size_t k = 0; k < i; k++)
			if (table_named(s->t, s->rows.v[i], "rank")->i == table_named(s->t, s->rows.v[k], "rank")->i &&
			    table_named(s->t, s->rows.v[i], "pid")->i != table_named(s->t, s->rows.v[k], "pid")->i)
				return true;
	return false;
}

static bool is_empty(const showing *s, const char *column)
{
	char buf[FORMAT_CELL];

	for (size_t i = 0; i < s->rows.n; i++)
		if (cell_of(s, i, column, buf))
			return false;
	return true;
}

typedef struct {
	const char *name;       /* NULL: what the words of another column mean, */
	const char *title;      /* whose title is its own */
} column;

typedef vec(column) columns;

/* What tells the rows apart: ranks, or processes and traces; then the columns of the template that hold something,
 * NAME or NAME=TITLE. */
static columns choose_columns(showing *s)
{
	const char *list = report_setting(s->r, s->part, "columns");
	bool ranks = !is_empty(s, "rank"), traces = varies(s, "trace");
	columns chosen = { 0 };

	if (varies(s, "rank"))
		vec_push(&chosen, (column){ "rank", NULL });
	if (share_rank(s))
		vec_push(&chosen, (column){ "pid", "process" });
	if (varies(s, "gpu"))
		vec_push(&chosen, (column){ "gpu", "GPU" });
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), name = strcspn(p, " =");
		column c = { arena_text(&s->r->texts, p, name),
			name < n ? arena_text(&s->r->texts, p + name + 1, n - name - 1) : NULL };
		if (!is_empty(s, c.name))
			vec_push(&chosen, c);
		p += n;
	}
	if (report_setting(s->r, s->part, "explain"))
		vec_push(&chosen, (column){ NULL, "meaning" });
	if (traces && !ranks)
		vec_push(&chosen, (column){ "trace", NULL });
	return chosen;
}

/* ---- what is written */

static const struct {
	const char *ending, *unit, *shown;
	double scale;
} units[] = { { "_ns", "ns", " (ms)", 1e6 }, { "_bytes", "bytes", " (MiB)", 1048576 }, { "_pct", "%", " (%)", 1 },
	{ "_gbps", "GB/s", " (GB/s)", 1 } };
enum { UNITS = sizeof units / sizeof *units };

static bool is_number(const showing *s, const column *c)
{
	return c->name && s->t->cols.v[table_column(s->t, c->name)].type != 't';
}

static size_t unit_of(const showing *s, const column *c)
{
	const char *unit = is_number(s, c) ? s->t->cols.v[table_column(s->t, c->name)].unit : NULL;
	size_t u = 0;

	while (u < UNITS && (!unit || strcmp(unit, units[u].unit) != 0))
		u++;
	return u;
}

static void title(const showing *s, const column *c, FILE *to)
{
	const char *text = c->title ? c->title : c->name;
	size_t u = unit_of(s, c), n = strlen(text), end = u < UNITS ? strlen(units[u].ending) : 0;

	if (u < UNITS && !c->title && n > end && strcmp(text + n - end, units[u].ending) == 0)
		n -= end;
	if (strcmp(text, "pct") == 0) {
		fputs("share (%)", to);
		return;
	}
	for (size_t i = 0; i < n; i++)
		fputc(text[i] == '_' ? ' ' : text[i], to);
	fputs(u < UNITS ? units[u].shown : "", to);
}

static bool is_word(const char *s)
{
	return strlen(s) < 16 && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.- ")];
}

/* Is it a time because the row says so? */
static bool is_ns(const showing *s, const column *c, size_t i)
{
	const table_col *col = &s->t->cols.v[table_column(s->t, c->name)];
	const char *unit = col->unit && strcmp(col->unit, TABLE_UNIT) == 0 ?
		table_named(s->t, s->rows.v[i], TABLE_UNIT)->t : NULL;

	return unit && strcmp(unit, "ns") == 0 && col->type == 'i';
}

static void cell(showing *s, const column *c, size_t i, FILE *to)
{
	const char *explain = report_setting(s->r, s->part, "explain"), *text;
	char buf[FORMAT_CELL];
	size_t u = unit_of(s, c);

	if (!c->name) {
		text = cell_of(s, i, explain, buf);
		text = text ? report_meaning(text) : NULL;
		md_text(to, text ? text : "");
		return;
	}
	text = cell_of(s, i, c->name, buf);
	if (!text)
		fputs("-", to);
	else if (u < UNITS && units[u].scale > 1 && s->t->cols.v[table_column(s->t, c->name)].type == 'i') {
		double v = (double)table_named(s->t, s->rows.v[i], c->name)->i / units[u].scale;
		fprintf(to, v > 0 && v < 5e-4 ? "<0.001" : "%.3f", v);
	} else if (is_ns(s, c, i)) {
		fprintf(to, "%.3f ms", (double)table_named(s->t, s->rows.v[i], c->name)->i / 1e6);
	} else if (is_number(s, c) || is_word(text)) {
		fputs(text, to);
	} else {
		md_name(to, text, true);
	}
}

static void write_table(showing *s, FILE *to)
{
	columns cols = choose_columns(s);

	fputc('\n', to);
	if (s->r->traces.n > 1 && !varies(s, "trace") && !cell_of(s, 0, "pid", (char[FORMAT_CELL]){ 0 }) &&
	    table_column(s->t, "before") < 0) {
		fputs("In ", to);
		md_name(to, table_named(s->t, s->rows.v[0], "trace")->t, false);
		fputs(":\n\n", to);
	}
	for (size_t c = 0; c < cols.n; c++) {
		fputs("| ", to);
		title(s, &cols.v[c], to);
		fputs(c + 1 < cols.n ? " " : " |\n", to);
	}
	for (size_t c = 0; c < cols.n; c++)
		fprintf(to, "%s%s", is_number(s, &cols.v[c]) ? "|--:" : "|---", c + 1 < cols.n ? "" : "|\n");
	for (size_t i = 0; i < s->rows.n; i++)
		for (size_t c = 0; c < cols.n; c++) {
			fputs("| ", to);
			cell(s, &cols.v[c], i, to);
			fputs(c + 1 < cols.n ? " " : " |\n", to);
		}
	vec_free(&cols);
}

/* ---- what is folded away below it: where the rows hold, and the command */

const char *report_label(report *r, const table *t, size_t row)
{
	char buf[FORMAT_CELL];
	int pid = table_column(t, "pid");
	int64_t rank = table_named(t, row, "rank")->i;
	const char *text = format_cell(&t->cols.v[pid], table_at(t, row)[pid], buf, sizeof buf);

	if (rank != TABLE_MISSING)
		return arena_printf(&r->texts, "rank %lld", (long long)rank);
	return text ? arena_printf(&r->texts, "process %s", text) : "all processes";
}

void report_who(report *r, const table *t, size_t row, FILE *to)
{
	fputs(report_label(r, t, row), to);
	if (table_named(t, row, "rank")->i == TABLE_MISSING && r->traces.n > 1) {
		fputs(" of ", to);
		md_name(to, table_named(t, row, "trace")->t, false);
	}
}

static const char *above(showing *s)
{
	char *text = NULL, a[MD_MS_SIZE], b[MD_MS_SIZE];
	size_t n = 0;
	FILE *to = text_open(&text, &n);
	const char *copy;

	if (s->rows.n && !varies(s, "pid") && !varies(s, "trace") && table_column(s->t, "rank") >= 0) {
		report_who(s->r, s->t, s->rows.v[0], to);
		if (!varies(s, "start_ns") && !varies(s, "end_ns"))
			fprintf(to, ", %s to %s ms", md_ms(table_named(s->t, s->rows.v[0], "start_ns")->i, a),
				md_ms(table_named(s->t, s->rows.v[0], "end_ns")->i, b));
		fputs("; ", to);
	}
	fprintf(to, s->part->limit && table_rows(s->t) == (size_t)s->part->limit ?
		"%zu of the first %zu rows, which are in " :
		s->rows.n < table_rows(s->t) ? "%zu of %zu rows, all of which are in " :
		"all rows, with more columns, are in ", s->rows.n, table_rows(s->t));
	fprintf(to, "[tables/%s.csv](tables/%s.csv): ", s->part->name, s->part->name);
	text_close(to);
	copy = arena_copy(&s->r->texts, text);
	free(text);
	return copy;
}

/* ---- blocks */

/* Do two or more processes differ in what bounds them, or by a twentieth in a time that is at least so much of the
 * step? */
bool report_differ(report *r)
{
	static const char *const times[] = { "step_ns", "busy_ns", "cpu_ns", "idle_ns" };
	const table *t = report_rows(r, "verdict");
	int64_t step = table_rows(t) ? table_named(t, 0, "step_ns")->i : 0;

	for (size_t i = 1; i < table_rows(t); i++) {
		const char *a = table_named(t, i, "bound")->t, *b = table_named(t, 0, "bound")->t;
		if (!a != !b || (a && strcmp(a, b) != 0))
			return true;
		for (size_t c = 0; c < sizeof times / sizeof *times; c++)
			if (llabs(table_named(t, i, times[c])->i - table_named(t, 0, times[c])->i) > step / 20)
				return true;
	}
	return false;
}

/* when: is it time for this block? */
static bool is_time(report *r, const report_part *part)
{
	const char *when = report_setting(r, part, "when");
	bool one = report_has_steps(r, NULL) && report_rows(r, "step_kernels")->groups.n == 1;

	return !when || (strcmp(when, "differ") == 0 ? report_differ(r) : strcmp(when, "one") == 0 ? one :
		strcmp(when, "several") == 0 ? !one : strcmp(when, "two") == 0 ? r->traces.n == 2 :
		report_has_steps(r, NULL));
}

void report_show(report *r, report_part *part, FILE *to)
{
	const char *cols = report_setting(r, part, "columns"), *draw = report_setting(r, part, "draw"),
		*also = report_setting(r, part, "also");
	showing s = { .r = r, .part = part, .t = &part->rows };

	if (!table_rows(&part->rows) || !(cols || draw) || !is_time(r, part))
		return;
	choose_rows(&s);
	if (draw)
		fprintf(to, "\n" REPORT_MARK "%s -->\n", part->name);
	if (cols && s.rows.n)
		write_table(&s, to);
	if (cols || draw)
		md_fold(to, "", cols ? above(&s) : "", report_command(r, part));
	if (also)
		md_fold(to, "", "", report_command(r, report_part_of(r, also)));
	vec_free(&s.rows);
}
