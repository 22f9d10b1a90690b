#include "table/window_table.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "base/text.h"

#include <csv.h>
#include <errno.h>
#include <string.h>

typedef struct {
	vec(char *) fields;     /* of all rows */
	vec(size_t) ends;       /* where each row ends among the fields */
	vec(size_t) lines;      /* its line in the file */
	bool csv;               /* rows are counted, for a quoted line end makes no line of its own */
} rows;

/* Where each column stands in the rows of one shape; -1: nowhere. */
typedef struct {
	int start, end, pid, window, trace, cpu_start, cpu_end;
	size_t fields;
} header;

static size_t row_begin(const rows *r, size_t i)
{
	return i ? r->ends.v[i - 1] : 0;
}

/* Undo the escapes of TSV in place. */
static char *unescape(char *s)
{
	char *to = s;

	for (char *p = s; *p; p++) {
		if (*p == '\\' && p[1] && strchr("tnr\\", p[1])) {
			p++;
			*to++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : *p == 'r' ? '\r' : '\\';
		} else
			*to++ = *p;
	}
	*to = 0;
	return s;
}

static void parse_tsv(char *text, rows *r)
{
	size_t line = 0;

	for (char *p = text, *next; p && *p; p = next) {
		next = strchr(p, '\n');
		if (next)
			*next++ = 0;
		line++;
		if (*p && p[strlen(p) - 1] == '\r')
			p[strlen(p) - 1] = 0;
		if (!*p)
			continue;
		for (char *f = p, *tab; f; f = tab) {
			tab = strchr(f, '\t');
			if (tab)
				*tab++ = 0;
			vec_push(&r->fields, unescape(f));
		}
		vec_push(&r->ends, r->fields.n);
		vec_push(&r->lines, line);
	}
}

static void csv_field(void *s, size_t len, void *ctx)
{
	rows *r = ctx;

	vec_push(&r->fields, mem_text(s ? s : "", len));
}

static void csv_row(int c, void *ctx)
{
	rows *r = ctx;

	(void)c;
	vec_push(&r->ends, r->fields.n);
	vec_push(&r->lines, r->ends.n);
}

static void parse_csv(const char *text, size_t n, const char *name, rows *r)
{
	struct csv_parser p;

	if (csv_init(&p, 0) != 0)
		die(EXIT_FAILED, "out of memory");
	if (csv_parse(&p, text, n, csv_field, csv_row, r) != n || csv_fini(&p, csv_field, csv_row, r) != 0)
		die(EXIT_WRONG, "%s is not a window table: %s", name, csv_strerror(csv_error(&p)));
	csv_free(&p);
}

static int field_named(const rows *r, size_t row, const char *name)
{
	size_t first = row_begin(r, row);

	for (size_t i = first; i < r->ends.v[row]; i++)
		if (strcmp(r->fields.v[i], name) == 0)
			return (int)(i - first);
	return -1;
}

static bool read_header(const rows *r, size_t row, header *h)
{
	*h = (header){ .start = field_named(r, row, "start_ns"), .end = field_named(r, row, "end_ns"),
		.pid = field_named(r, row, "pid"), .window = field_named(r, row, "window"),
		.trace = field_named(r, row, "trace"), .cpu_start = field_named(r, row, "cpu_start_ns"),
		.cpu_end = field_named(r, row, "cpu_end_ns"), .fields = r->ends.v[row] - row_begin(r, row) };
	return h->start >= 0 && h->end >= 0;
}

static const char *field(const rows *r, size_t row, int col)
{
	return col < 0 ? NULL : r->fields.v[row_begin(r, row) + (size_t)col];
}

static bool present(const char *s)
{
	return s && *s && strcmp(s, "-") != 0;
}

static const char *place_of(const rows *r, size_t row, const char *name)
{
	return mem_printf("%s %s %zu", name, r->csv ? "row" : "line", r->lines.v[row]);
}

static int64_t number(const rows *r, size_t row, int col, const char *what, const char *name)
{
	const char *s = field(r, row, col);
	int64_t v;

	if (!opt_int(s, &v))
		die(EXIT_WRONG, "%s: %s is '%s', not a whole number of nanoseconds; "
		    "pass a table with start_ns and end_ns", place_of(r, row, name), what, s);
	return v;
}

static void take_row(const rows *r, size_t row, const header *h, const char *name, win_asks *to)
{
	win_ask a = { .has_a = true, .has_b = true, .pid = -1, .row = true };
	const char *pid = field(r, row, h->pid), *window = field(r, row, h->window);
	const char *trace = field(r, row, h->trace);

	a.shown = place_of(r, row, name);
	a.a = number(r, row, h->start, "start_ns", name);
	a.b = number(r, row, h->end, "end_ns", name);
	if (a.b < a.a)
		die(EXIT_WRONG, "%s: the window %lld..%lld ends before it starts", a.shown,
		    (long long)a.a, (long long)a.b);
	if (present(pid) && (!opt_int(pid, &a.pid) || a.pid < 0))
		die(EXIT_WRONG, "%s: pid is '%s', not a process id or -", a.shown, pid);
	a.has_cpu = present(field(r, row, h->cpu_start)) && present(field(r, row, h->cpu_end));
	if (a.has_cpu) {
		a.cpu_a = number(r, row, h->cpu_start, "cpu_start_ns", name);
		a.cpu_b = number(r, row, h->cpu_end, "cpu_end_ns", name);
		if (a.cpu_b < a.cpu_a)
			die(EXIT_WRONG, "%s: the CPU window %lld..%lld ends before it starts", a.shown,
			    (long long)a.cpu_a, (long long)a.cpu_b);
	}
	if (present(window))
		a.window = mem_text(window, strlen(window));
	if (present(trace))
		a.trace = mem_text(trace, strlen(trace));
	vec_push(to, a);
}

/* The header that rows of each width go by: the last before them, else the first there is. */
typedef vec(header) headers;

static header *of_width(headers *h, size_t width)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].fields == width)
			return &h->v[i];
	return NULL;
}

static headers first_headers(const rows *r)
{
	headers out = { 0 };
	header h;

	for (size_t i = 0; i < r->ends.n; i++)
		if (read_header(r, i, &h) && !of_width(&out, h.fields))
			vec_push(&out, h);
	return out;
}

/* The fixed places of an nsq table, for one that was cut from its header. */
static bool without_header(size_t width, header *h)
{
	*h = (header){ .pid = 0, .start = 2, .end = 3, .window = (int)width - 2, .trace = (int)width - 1,
		.cpu_start = -1, .cpu_end = -1, .fields = width };
	return width >= 6;
}

void wintab_read(FILE *f, const char *name, win_asks *to)
{
	size_t n;
	char *text = text_read(f, &n);
	rows r = { 0 };
	bool tsv;
	headers heads;

	if (!text)
		die(EXIT_FAILED, "cannot read the windows in %s:", name);
	if (strspn(text, " \t\r\n") == n)
		die(EXIT_WRONG, "%s is empty; a window table has at least a header line "
		    "(did the command before it fail?)", name);
	tsv = memchr(text, '\t', strcspn(text, "\n")) != NULL;
	if (strlen(text) != n)
		die(EXIT_WRONG, "%s is not a window table: it holds a NUL byte; pass a TSV or CSV", name);
	if (tsv)
		parse_tsv(text, &r);
	else
		parse_csv(text, n, name, &r);
	r.csv = !tsv;
	heads = first_headers(&r);
	for (size_t i = 0; i < r.ends.n; i++) {
		size_t width = r.ends.v[i] - row_begin(&r, i);
		header *known = of_width(&heads, width), h;
		if (read_header(&r, i, &h))
			*known = h;
		else if (known || (!heads.n && tsv && without_header(width, &h)))
			take_row(&r, i, known ? known : &h, name, to);
		else
			die(EXIT_WRONG, "%s is not a row of a window table; it needs a header with start_ns and "
			    "end_ns as TSV or CSV (-f tsv, -f csv)", place_of(&r, i, name));
	}
	vec_free(&heads);
	vec_free(&r.fields);
	vec_free(&r.ends);
	vec_free(&r.lines);
	free(text);
}

/* A..B with nanoseconds or a unit; a unit on one end holds for both. */
static bool parse_spec(const char *spec, win_ask *a)
{
	const char *dots = strstr(spec, "..");
	size_t na, nb;
	int64_t unit_a = 0, unit_b = 0;

	if (!dots)
		return false;
	na = (size_t)(dots - spec);
	nb = strlen(dots + 2);
	*a = (win_ask){ .has_a = na > 0, .has_b = nb > 0, .pid = -1,
		.shown = mem_printf("'%s'", spec) };
	/* each end's unit, then both ends with the unit of the other where they have none */
	if (na)
		opt_time(spec, na, 1, &unit_a, &a->a);
	if (nb)
		opt_time(dots + 2, nb, 1, &unit_b, &a->b);
	if (na && !opt_time(spec, na, unit_b ? unit_b : 1, &unit_a, &a->a))
		return false;
	if (nb && !opt_time(dots + 2, nb, unit_a ? unit_a : 1, &unit_b, &a->b))
		return false;
	return true;
}

void wintab_spec(const char *spec, win_asks *to)
{
	win_ask a;
	FILE *f;

	if (strcmp(spec, "-") == 0) {
		wintab_read(stdin, "standard input", to);
		return;
	}
	if (parse_spec(spec, &a)) {
		if (a.has_a && a.has_b && a.a >= a.b)
			die(EXIT_WRONG, "window '%s' is empty or ends before it starts; write it as START..END", spec);
		vec_push(to, a);
		return;
	}
	f = fopen(spec, "r");
	if (!f && errno == ENOENT)
		die(EXIT_WRONG, "window '%s' is neither A..B (such as 230ms..280ms) nor a file", spec);
	if (!f)
		die(EXIT_FAILED, "cannot open the windows in '%s':", spec);
	wintab_read(f, mem_printf("'%s'", spec), to);
	fclose(f);
}
