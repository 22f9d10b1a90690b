#include "table/format.h"
#include "base/json.h"
#include "base/number.h"
#include "base/printable.h"

#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const names[] = {
	[FORMAT_TSV] = "tsv", [FORMAT_ALIGNED] = "table", [FORMAT_CSV] = "csv",
	[FORMAT_JSONL] = "jsonl", [FORMAT_MD] = "md",
};

enum format format_named(const char *s)
{
	for (int i = FORMAT_TSV; i <= FORMAT_MD; i++)
		if (strcmp(s, names[i]) == 0)
			return (enum format)i;
	return FORMAT_AUTO;
}

const char *format_name(enum format f)
{
	return names[f];
}

/* ---- texts of cells */

typedef vec(char) text;

static void format_put_bytes(text *to, const char *s, size_t n)
{
	vec_reserve(to, to->n + n);
	if (n)
		memcpy(to->v + to->n, s, n);
	to->n += n;
}

static void format_put_text(text *to, const char *s)
{
	format_put_bytes(to, s, strlen(s));
}

static void format_put_tsv(text *to, const char *s)
{
	for (; *s; s++) {
		const char *from = s;
		while ((unsigned char)*s >= ' ' && *s != '\\')
			s++;
		format_put_bytes(to, from, (size_t)(s - from));
		switch (*s) {
		case 0: return;
		case '\t': format_put_bytes(to, "\\t", 2); break;
		case '\n': format_put_bytes(to, "\\n", 2); break;
		case '\r': format_put_bytes(to, "\\r", 2); break;
		case '\\': format_put_bytes(to, "\\\\", 2); break;
		default: format_put_bytes(to, s, 1);
		}
	}
}

static void format_put_csv(text *to, const char *s)
{
	size_t n = strcspn(s, ",\"\r\n\t ");

	if (n && !s[n]) {
		format_put_bytes(to, s, n);
		return;
	}
	n = strlen(s);
	vec_reserve(to, to->n + 2 * n + 2);     /* enough if every byte is a quote */
	to->n += csv_write(to->v + to->n, 2 * n + 2, s, n);
}

static void format_put_json(text *to, const char *s)
{
	char escape[JSON_ESCAPE];

	format_put_bytes(to, "\"", 1);
	while (*s) {
		size_t n = json_plain_length(s);
		format_put_bytes(to, s, n);
		s += n;
		if (*s) {
			s += json_escape(s, false, escape, &n);
			format_put_bytes(to, escape, n);
		}
	}
	format_put_bytes(to, "\"", 1);
}

static void format_put_cell(const format_writer *w, const char *value, bool number, text *to)
{
	char *safe = !number && w->terminal && w->format == FORMAT_CSV ? printable_copy(value) : NULL;

	if (number)
		format_put_text(to, value);
	else if (w->format == FORMAT_JSONL)
		format_put_json(to, value);
	else if (w->format == FORMAT_TSV)
		format_put_tsv(to, value);
	else
		format_put_csv(to, safe ? safe : value);
	free(safe);
}

/* Write a number and a NUL so that they end at `end`.  Returns where the number begins.  This is faster than snprintf,
 * and there are millions of numbers. */
static char *format_write_int(int64_t v, char *end)
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

/* Write the number in a cell of a process (TABLE_SUBS) as PID, or as PID:N if there is a sub. */
static const char *format_write_pid(int64_t v, char *buf, size_t size)
{
	int64_t pid = v / TABLE_SUBS, sub = v % TABLE_SUBS - 1;

	return sub < 0 ? format_write_int(pid, buf + size) : number_pid_text(pid, sub, buf);
}

/* Write a number with two decimals and a NUL so that they end at `end`.  Returns where the number begins.  NULL: the
 * number is negative or at least 1e9, or so close to halfway between two hundredths that the rounding error of v * 100
 * could change the result. */
static char *format_write_hundredths(double v, char *end)
{
	double hundred = v * 100, over = signbit(v) || v >= 1e9 ? 0.5 : hundred - (double)(uint64_t)hundred;
	uint64_t n;
	char *at;

	if (fabs(over - 0.5) < 1e-4)
		return NULL;
	n = (uint64_t)hundred + (over > 0.5);
	at = format_write_int((int64_t)(n / 100), end - 3);
	end[-4] = '.';
	end[-3] = (char)('0' + n / 10 % 10);
	end[-2] = (char)('0' + n % 10);
	end[-1] = 0;
	return at;
}

/* Write a number with two decimals.  A rate in GB/s below 0.005 would read 0.00, so it gets two significant digits. */
static const char *format_write_decimal(const table_col *c, double v, char *buf, size_t size)
{
	char *quick = c->unit && strcmp(c->unit, "GB/s") == 0 ? NULL : format_write_hundredths(v, buf + size);
	int decimals = 2;

	if (quick)
		return quick;
	if (c->unit && strcmp(c->unit, "GB/s") == 0 && v > 0 && v < 0.005) {
		snprintf(buf, size, "%.1e", v);
		decimals = 1 - atoi(strchr(buf, 'e') + 1);
	}
	snprintf(buf, size, "%.*f", decimals, v);
	return buf;
}

const char *format_cell(const table_col *col, table_cell c, char *buf, size_t size)
{
	if (table_has_text(col->type))
		return c.t;
	if (col->type == 'd' ? !isfinite(c.d) : c.i == TABLE_MISSING)
		return NULL;
	if (col->type == 'p')
		return format_write_pid(c.i, buf, size);
	if (col->type == 'i')
		return format_write_int(c.i, buf + size);
	return format_write_decimal(col, c.d, buf, size);
}

const char *format_amount(bool bytes, double v, char *buf, size_t size)
{
	static const char *const units[2][4] = { { "ns", "us", "ms", "s" }, { "B", "KiB", "MiB", "GiB" } };
	double step = bytes ? 1024 : 1000, most = bytes ? 1023.95 : 999.9995, d = fabs(v);
	int unit = 0;

	/* a number that would round up to the next unit is written in that unit */
	for (; unit < 3 && d >= (unit ? most : step); unit++)
		d /= step;
	snprintf(buf, size, "%s%.*f %s", v < 0 ? "-" : "", !unit ? 0 : bytes ? 1 : 3, d, units[bytes][unit]);
	return buf;
}

const char *format_moment(int64_t ns, char *buf, size_t size)
{
	uint64_t d = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	snprintf(buf, size, "%s%" PRIu64 ".%09" PRIu64 " s", ns < 0 ? "-" : "", d / 1000000000, d % 1000000000);
	return buf;
}

/* ---- rows */

/* A column's cell in the previous row.  Most cells are equal to the cell above, and then its text is copied. */
typedef struct {
	table_cell cell;
	size_t at, n;           /* its text is bytes [at, at + n) of the output; n 0: there is no text yet */
} written_cell;

static bool format_is_number(const table_col *c, const char *s)
{
	return c->type == 'i' || c->type == 'd' || c->type == 'n' || (c->type == 'p' && !strchr(s, ':'));
}

static void format_put_row(const format_writer *w, const table *t, const table_cell *row, written_cell *before,
			   text *to)
{
	bool json_row = w->format == FORMAT_JSONL;
	char buf[FORMAT_CELL];

	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		if (i || json_row)
			format_put_bytes(to, !i ? "{" : w->format == FORMAT_TSV ? "\t" : ",", 1);
		if (json_row) {
			format_put_json(to, c->name);
			format_put_bytes(to, ":", 1);
		}
		if (before[i].n && before[i].cell.i == row[i].i) {
			vec_reserve(to, to->n + before[i].n);
			format_put_bytes(to, to->v + before[i].at, before[i].n);
		} else {
			const char *s = format_cell(c, row[i], buf, sizeof buf);
			size_t at = to->n;
			if (s)
				format_put_cell(w, s, format_is_number(c, s), to);
			else
				format_put_text(to, json_row ? "null" : "-");
			before[i] = (written_cell){ row[i], at, to->n - at };
		}
	}
	format_put_text(to, json_row ? "}\n" : "\n");
}

/* Write rows [from,to), PIECE rows with each fwrite.  In a format for people, only add them to w->people. */
static void format_write_rows(format_writer *w, const table *t, size_t from, size_t to)
{
	enum { PIECE = 256 };
	written_cell *before = mem_new(written_cell, t->cols.n);
	text piece = { 0 };

	w->rows += to - from;
	for (; format_for_people(w->format) && from < to; from++)
		aligned_row(&w->people, t, table_at(t, from));
	while (from < to) {
		piece.n = 0;
		memset(before, 0, t->cols.n * sizeof *before);
		for (size_t i = 0; i < PIECE && from < to; i++)
			format_put_row(w, t, table_at(t, from++), before, &piece);
		fwrite(piece.v, 1, piece.n, w->to);
	}
	vec_free(&piece);
	free(before);
}

void format_header(format_writer *w, const table *t)
{
	text line = { 0 };

	if (w->headed)
		return;
	w->headed = true;
	w->people.markdown = w->format == FORMAT_MD;
	if (format_for_people(w->format))
		aligned_header(&w->people, t);
	if (format_for_people(w->format) || w->format == FORMAT_JSONL)
		return;
	for (size_t i = 0; i < t->cols.n; i++) {
		if (i)
			format_put_bytes(&line, w->format == FORMAT_TSV ? "\t" : ",", 1);
		format_put_cell(w, t->cols.v[i].name, false, &line);
	}
	format_put_bytes(&line, "\n", 1);
	fwrite(line.v, 1, line.n, w->to);
	vec_free(&line);
}

void format_table(format_writer *w, const table *t)
{
	size_t from = 0, row = 0;

	if (t->groups.n)
		format_header(w, t);
	for (size_t g = 0; g < t->groups.n; row = t->groups.v[g++]) {
		size_t n = t->groups.v[g] - row;
		if (w->limit <= 0 || n <= (size_t)w->limit)
			continue;
		format_write_rows(w, t, from, row + (size_t)w->limit);
		w->hidden += n - (size_t)w->limit;
		from = t->groups.v[g];
	}
	format_write_rows(w, t, from, row);
}

bool format_end(format_writer *w, const table *t)
{
	if (w->headed && format_for_people(w->format))
		aligned_print(&w->people, t, w->to);
	return fflush(w->to) == 0 && !ferror(w->to);
}
