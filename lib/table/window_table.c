#include "table/window_table.h"
#include "base/folders.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/strings.h"
#include "table/text_rows.h"

#include <errno.h>
#include <string.h>

/* The position of each column, in rows of `fields` fields; -1: no such column. */
typedef struct {
	int start, end, pid, gpu, window, trace, cpu_start, cpu_end, number, rule;
	size_t fields;
} header;

/* A table whose rows are being read. */
typedef struct {
	const text_rows *rows;
	const char *name;       /* the table's name in messages */
	window_asks *asks;      /* the rows are added to it */
	notes *say;
} window_table_ctx;

static bool window_table_read_header(const text_rows *r, size_t row, header *h)
{
	*h = (header){ .start = text_rows_column(r, row, "start_ns"), .end = text_rows_column(r, row, "end_ns"),
		.pid = text_rows_column(r, row, "pid"), .gpu = text_rows_column(r, row, "gpu"),
		.window = text_rows_column(r, row, "window"), .trace = text_rows_column(r, row, "trace"),
		.cpu_start = text_rows_column(r, row, "cpu_start_ns"),
		.cpu_end = text_rows_column(r, row, "cpu_end_ns"), .number = text_rows_column(r, row, "number"),
		.rule = text_rows_column(r, row, "rule"),
		.fields = text_rows_width(r, row) };
	return h->start >= 0 && h->end >= 0;
}

/* Guess the columns of a table of nsq whose rows have lost their header. */
static bool window_table_guess_header(size_t width, header *h)
{
	*h = (header){ .pid = 0, .start = 2, .end = 3, .gpu = 4, .window = (int)width - 2, .trace = (int)width - 1,
		.cpu_start = -1, .cpu_end = -1, .number = -1, .rule = -1, .fields = width };
	return width >= 7;
}

static bool window_table_is_present(const char *s)
{
	return s && *s && strcmp(s, "-") != 0;
}

static const char *window_table_describe_row(const window_table_ctx *r, size_t row)
{
	return arena_printf(&r->asks->texts, "%s %s %zu", r->name, r->rows->csv ? "row" : "line",
			    r->rows->lines.v[row]);
}

static bool window_table_read_time(const window_table_ctx *r, size_t row, int col, const char *what, int64_t *value)
{
	const char *s = text_rows_field(r->rows, row, col);

	return number_int(s, value) ||
		notes_problem(r->say, EXIT_WRONG, "%s: %s is '%s', not a whole number of nanoseconds; pass "
			      "a table with start_ns and end_ns", window_table_describe_row(r, row), what, s);
}

/* The end of a window that is given as a to b.  It is b, but one nanosecond after a if the window has no length, such
 * as that of a mark. */
static int64_t window_table_correct_end(int64_t a, int64_t b)
{
	return b + (a == b && b < INT64_MAX);
}

static bool window_table_read_sides(const window_table_ctx *r, size_t row, const header *h, window_ask *ask)
{
	if (!window_table_read_time(r, row, h->start, "start_ns", &ask->a) ||
	    !window_table_read_time(r, row, h->end, "end_ns", &ask->b))
		return false;
	if (ask->b < ask->a)
		return notes_problem(r->say, EXIT_WRONG, "%s: the window %lld..%lld ends before it starts", ask->shown,
				     (long long)ask->a, (long long)ask->b);
	ask->b = window_table_correct_end(ask->a, ask->b);
	ask->has_cpu = window_table_is_present(text_rows_field(r->rows, row, h->cpu_start)) &&
		window_table_is_present(text_rows_field(r->rows, row, h->cpu_end));
	if (!ask->has_cpu)
		return true;
	if (!window_table_read_time(r, row, h->cpu_start, "cpu_start_ns", &ask->cpu_a) ||
	    !window_table_read_time(r, row, h->cpu_end, "cpu_end_ns", &ask->cpu_b))
		return false;
	if (ask->cpu_b < ask->cpu_a)
		return notes_problem(r->say, EXIT_WRONG, "%s: the CPU window %lld..%lld ends before it "
				     "starts", ask->shown, (long long)ask->cpu_a, (long long)ask->cpu_b);
	ask->cpu_b = window_table_correct_end(ask->cpu_a, ask->cpu_b);
	return true;
}

/* Read the digits before `end` as a time in nanoseconds.  Returns where they begin; NULL if there are none or they do
 * not fit. */
static const char *window_table_read_digits_before(const char *begin, const char *end, int64_t *value)
{
	const char *p = end;
	int64_t unit;

	while (p > begin && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p < end && number_time(p, (size_t)(end - p), 1, &unit, value) ? p : NULL;
}

/* Is the name NAME#INDEX@A..B?  If so, *side points to its CPU side, @A..B, which is from *a to *b.  Names are read
 * from the right, because NAME may contain anything. */
static bool window_table_name_holds_cpu(const char *name, const char **side, int64_t *a, int64_t *b)
{
	const char *p = window_table_read_digits_before(name, name + strlen(name), b), *q;
	int64_t index;

	if (!p || p - name < 2 || strncmp(p - 2, "..", 2) != 0)
		return false;
	p = window_table_read_digits_before(name, p - 2, a);
	if (!p || p == name || p[-1] != '@')
		return false;
	q = window_table_read_digits_before(name, p - 1, &index);
	if (!q || q == name || q[-1] != '#' || *a > *b)
		return false;
	*side = p - 1;
	return true;
}

size_t window_table_length_without_cpu(const char *name)
{
	const char *side = name + strlen(name);
	int64_t a, b;

	window_table_name_holds_cpu(name, &side, &a, &b);
	return (size_t)(side - name);
}

/* Where #INDEX begins in a name without a CPU side; NULL if there is none. */
static const char *window_table_read_index(const char *name, int64_t *index)
{
	const char *p = window_table_read_digits_before(name, name + strlen(name), index);

	return p && p > name && p[-1] == '#' ? p - 1 : NULL;
}

/* Read the window's name: the step and its number and, if the columns gave no CPU side, that side.  If the columns gave
 * a CPU side that differs from the GPU side, it is written into the name for rows about this window. */
static void window_table_read_name(arena *texts, const char *name, window_ask *ask)
{
	const char *side = NULL, *hash;
	int64_t start, end, index;
	bool name_has_cpu = window_table_is_present(name) && window_table_name_holds_cpu(name, &side, &start, &end);

	if (window_table_is_present(name))
		ask->window = ask->each_name = arena_copy(texts, name);
	if (name_has_cpu)
		ask->each_name = arena_text(texts, name, (size_t)(side - name));
	hash = ask->each_name ? window_table_read_index(ask->each_name, &ask->number) : NULL;
	if (hash)
		ask->step = arena_text(texts, ask->each_name, (size_t)(hash - ask->each_name));
	if (name_has_cpu && !ask->has_cpu) {
		ask->has_cpu = true;
		ask->cpu_a = start;
		ask->cpu_b = window_table_correct_end(start, end);
	} else if (ask->has_cpu && (ask->cpu_a != ask->a || ask->cpu_b != ask->b)) {
		const char *base = ask->each_name ? ask->each_name : "-";
		ask->window = arena_printf(texts, "%s%s@%lld..%lld", base,
					   window_table_read_index(base, &index) ? "" : "#0", (long long)ask->cpu_a,
					   (long long)ask->cpu_b);
	} else if (ask->has_cpu) {
		ask->window = ask->each_name;
	}
}

static bool window_table_read_row(const window_table_ctx *r, size_t row, const header *h)
{
	window_ask ask = { .has_a = true, .has_b = true, .pid = -1, .sub = -1, .device = -1, .row = true };
	const char *pid = text_rows_field(r->rows, row, h->pid), *gpu = text_rows_field(r->rows, row, h->gpu);
	const char *trace = text_rows_field(r->rows, row, h->trace);
	const char *given = text_rows_field(r->rows, row, h->number), *rule = text_rows_field(r->rows, row, h->rule);
	int64_t number;

	ask.shown = window_table_describe_row(r, row);
	if (!window_table_read_sides(r, row, h, &ask))
		return false;
	if (window_table_is_present(pid) && !number_pid(pid, &ask.pid, &ask.sub))
		return notes_problem(r->say, EXIT_WRONG, "%s: pid is '%s', not a process id or -", ask.shown, pid);
	if (window_table_is_present(gpu) && (!number_int(gpu, &ask.device) || ask.device < 0))
		return notes_problem(r->say, EXIT_WRONG, "%s: gpu is '%s', not a device number or -", ask.shown, gpu);
	window_table_read_name(&r->asks->texts, text_rows_field(r->rows, row, h->window), &ask);
	if (window_table_is_present(given) && number_int(given, &number))
		ask.number = number;
	if (window_table_is_present(rule) && (strcmp(rule, "tile") == 0 || strcmp(rule, "process") == 0))
		ask.step = NULL;
	if (window_table_is_present(trace))
		ask.trace = arena_copy(&r->asks->texts, trace);
	vec_push(r->asks, ask);
	return true;
}

/* The header that applies to the rows of each width (number of fields in a row).  At first this is the table's first
 * header of this width, then the latest one that was read. */
typedef vec(header) headers;

static header *window_table_find_header(headers *h, size_t width)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].fields == width)
			return &h->v[i];
	return NULL;
}

static headers window_table_list_first_headers(const text_rows *r)
{
	headers out = { 0 };
	header h;

	for (size_t i = 0; i < r->ends.n; i++)
		if (window_table_read_header(r, i, &h) && !window_table_find_header(&out, h.fields))
			vec_push(&out, h);
	return out;
}

static bool window_table_read_rows(const window_table_ctx *r)
{
	headers heads = window_table_list_first_headers(r->rows);
	bool ok = true;

	for (size_t i = 0; ok && i < r->rows->ends.n; i++) {
		size_t width = text_rows_width(r->rows, i);
		header *known = window_table_find_header(&heads, width), h;
		if (window_table_read_header(r->rows, i, &h))
			*known = h;
		else if (known || (!heads.n && !r->rows->csv && window_table_guess_header(width, &h)))
			ok = window_table_read_row(r, i, known ? known : &h);
		else
			ok = notes_problem(r->say, EXIT_WRONG, "%s is not a row of a window table, which "
					   "needs a header with start_ns and end_ns; pass a TSV or CSV (-f tsv, "
					   "-f csv)", window_table_describe_row(r, i));
	}
	vec_free(&heads);
	return ok;
}

bool window_table_read(FILE *f, const char *name, window_asks *asks, notes *say)
{
	text_rows rows = { 0 };
	bool ok = text_rows_read(f, name, &rows, say) &&
		window_table_read_rows(&(window_table_ctx){ &rows, name, asks, say });

	text_rows_free(&rows);
	return ok;
}

bool window_table_read_interval(const char *spec, window_ask *ask)
{
	const char *dots = strstr(spec, "..");
	size_t na, nb;
	int64_t unit_a = 0, unit_b = 0;

	if (!dots)
		return false;
	na = (size_t)(dots - spec);
	nb = strlen(dots + 2);
	*ask = (window_ask){ .has_a = na > 0, .has_b = nb > 0, .pid = -1, .sub = -1, .device = -1 };
	/* find the unit of each end, then read both ends; an end without a unit takes that of the other */
	if (na)
		number_time(spec, na, 1, &unit_a, &ask->a);
	if (nb)
		number_time(dots + 2, nb, 1, &unit_b, &ask->b);
	return (!na || number_time(spec, na, unit_b ? unit_b : 1, &unit_a, &ask->a)) &&
		(!nb || number_time(dots + 2, nb, unit_a ? unit_a : 1, &unit_b, &ask->b));
}

bool window_table_spec(const char *spec, window_asks *asks, notes *say)
{
	window_ask ask;
	FILE *f;
	bool ok, missing;

	if (window_table_read_interval(spec, &ask)) {
		if (ask.has_a && ask.has_b && ask.a >= ask.b)
			return notes_problem(say, EXIT_WRONG, "window '%s' is empty or ends before it "
					     "starts; write it as START..END", spec);
		ask.shown = arena_printf(&asks->texts, "'%s'", spec);
		vec_push(asks, ask);
		return true;
	}
	f = folders_file(spec);
	missing = !f && errno == ENOENT;
	if (missing && window_table_read_interval(arena_printf(&asks->texts, "%ss", spec), &ask))
		return notes_problem(say, EXIT_WRONG, "window '%s' needs a unit (ns us ms s), as in '%ss'", spec, spec);
	if (missing)
		return notes_problem(say, EXIT_WRONG, "window '%s' is neither A..B (such as 230ms..280ms) nor "
				     "a file", spec);
	if (!f)
		return notes_problem(say, EXIT_FAILED, "cannot open the windows in '%s':", spec);
	ok = window_table_read(f, arena_printf(&asks->texts, "'%s'", spec), asks, say);
	fclose(f);
	return ok;
}

static int64_t window_table_text_id(str_pool *names, const char *text)
{
	return text ? str_id(names, text, strlen(text)) : STR_NONE;
}

size_t window_asks_remove_repeats(window_asks *asks)
{
	group met = { .width = 11 };
	str_pool names = { 0 };
	size_t n = 0, before = asks->n;

	for (size_t i = 0; i < before; i++) {
		window_ask ask = asks->v[i];
		size_t seen = met.n;
		if (!ask.row || group_of(&met, (int64_t[]){ ask.has_a, ask.has_b, ask.a, ask.b,
			ask.has_cpu ? ask.cpu_a : ask.a, ask.has_cpu ? ask.cpu_b : ask.b, ask.pid, ask.sub, ask.device,
			window_table_text_id(&names, ask.window), window_table_text_id(&names, ask.trace) }) == seen)
			asks->v[n++] = ask;
	}
	asks->n = n;
	group_free(&met);
	str_free(&names);
	return before - n;
}

void window_asks_free(window_asks *asks)
{
	vec_free(asks);
	arena_free(&asks->texts);
}
