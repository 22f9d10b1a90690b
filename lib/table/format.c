#include "table/format.h"
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

/* Only one thread writes, so no byte needs a lock. */
static void tsv(FILE *f, const char *s)
{
	for (; *s; s++) {
		const char *from = s;
		while ((unsigned char)*s >= ' ' && *s != '\\')
			s++;
		fwrite_unlocked(from, 1, (size_t)(s - from), f);
		switch (*s) {
		case 0: return;
		case '\t': fputs_unlocked("\\t", f); break;
		case '\n': fputs_unlocked("\\n", f); break;
		case '\r': fputs_unlocked("\\r", f); break;
		case '\\': fputs_unlocked("\\\\", f); break;
		default: putc_unlocked(*s, f);
		}
	}
}

/* On a terminal, unprintable bytes become \xNN.  Elsewhere the next program gets the bytes of the trace unchanged. */
static void tsv_for_terminal(FILE *f, const char *s)
{
	for (size_t n; *s; s += n ? n : 1) {
		char escape[PRINTABLE_BYTE + 1];
		n = printable_length(s);
		if (strchr("\t\n\r\\", *s))
			tsv(f, (char[]){ *s, 0 });
		else if (n)
			fwrite_unlocked(s, 1, n, f);
		else
			fwrite_unlocked(escape, 1, (size_t)(printable_byte(escape, *s) - escape), f);
	}
}

static void csv(FILE *f, const char *s)
{
	if (strpbrk(s, ",\"\r\n\t ") || !*s)
		csv_fwrite(f, s, strlen(s));
	else
		fputs_unlocked(s, f);
}

/* A character that is not printable: beyond 16 bits as two halves. */
static void json_escape(FILE *f, uint32_t code)
{
	if (code > 0xffff)
		fprintf(f, "\\u%04x", (unsigned)(0xd7c0 + (code >> 10)));
	fprintf(f, "\\u%04x", (unsigned)(code > 0xffff ? 0xdc00 + (code & 0x3ff) : code));
}

void format_json(FILE *f, const char *s)
{
	putc_unlocked('"', f);
	while (*s) {
		size_t n = printable_utf8(s);
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (printable_length(s))
			fwrite_unlocked(s, 1, n, f);
		else    /* JSON must be UTF-8; mark bytes that are not */
			json_escape(f, n ? printable_code(s, n) : 0xfffd);
		s += n ? n : 1;
	}
	putc_unlocked('"', f);
}

static void json_cell(FILE *f, const char *name, const char *value, bool number)
{
	format_json(f, name);
	putc_unlocked(':', f);
	if (!value)
		fputs_unlocked("null", f);
	else if (number)
		fputs_unlocked(value, f);
	else
		format_json(f, value);
}

static void plain_cell(const format_writer *w, const char *value, bool number)
{
	if (!value)
		putc_unlocked('-', w->to);
	else if (number)
		fputs_unlocked(value, w->to);
	else if (w->format == FORMAT_TSV)
		(w->terminal ? tsv_for_terminal : tsv)(w->to, value);
	else if (w->terminal) {
		char *safe = printable_copy(value);
		csv(w->to, safe);
		free(safe);
	} else
		csv(w->to, value);
}

/* The digits of a number, right-aligned in a buffer: faster than snprintf, and there are millions of them. */
static char *int_text(int64_t v, char *end)
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

/* PID, or PID:N: see table_pid. */
static const char *pid_text(int64_t v, char *buf, size_t size)
{
	int64_t pid = v / TABLE_SUBS, sub = v % TABLE_SUBS - 1;

	return sub < 0 ? int_text(pid, buf + size) : number_pid_text(pid, sub, buf);
}

/* Two decimals; of a low rate, which they would round to nothing, two figures. */
static const char *decimal_text(const table_col *c, double v, char *buf, size_t size)
{
	int decimals = 2;

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
		return pid_text(c.i, buf, size);
	if (col->type == 'i')
		return int_text(c.i, buf + size);
	return decimal_text(col, c.d, buf, size);
}

const char *format_amount(bool bytes, double v, char *buf, size_t size)
{
	static const char *const units[2][4] = { { "ns", "us", "ms", "s" }, { "B", "KiB", "MiB", "GiB" } };
	double step = bytes ? 1024 : 1000, most = bytes ? 1023.95 : 999.9995, d = fabs(v);
	int unit = 0;

	/* what would round up to the next unit is written in that one */
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

static void write_row(format_writer *w, const table *t, const table_cell *row)
{
	char buf[FORMAT_CELL];

	w->rows++;
	if (format_for_people(w->format)) {
		aligned_row(&w->people, t, row);
		return;
	}
	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		const char *s = format_cell(c, row[i], buf, sizeof buf);
		bool number = strchr("idn", c->type) || (c->type == 'p' && s && !strchr(s, ':'));
		if (i || w->format == FORMAT_JSONL)
			putc_unlocked(!i ? '{' : w->format == FORMAT_TSV ? '\t' : ',', w->to);
		if (w->format == FORMAT_JSONL)
			json_cell(w->to, c->name, s, number);
		else
			plain_cell(w, s, number);
	}
	fputs_unlocked(w->format == FORMAT_JSONL ? "}\n" : "\n", w->to);
}

void format_header(format_writer *w, const table *t)
{
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
			putc_unlocked(w->format == FORMAT_TSV ? '\t' : ',', w->to);
		plain_cell(w, t->cols.v[i].name, false);
	}
	putc_unlocked('\n', w->to);
}

void format_table(format_writer *w, const table *t)
{
	size_t row = 0;

	if (t->groups.n)
		format_header(w, t);
	for (size_t g = 0; g < t->groups.n; g++) {
		size_t n = t->groups.v[g] - row, show = w->limit > 0 && (size_t)w->limit < n ? (size_t)w->limit : n;
		for (size_t i = row; i < row + show; i++)
			write_row(w, t, table_at(t, i));
		w->hidden += n - show;
		row = t->groups.v[g];
	}
}

bool format_end(format_writer *w, const table *t)
{
	if (w->headed && format_for_people(w->format))
		aligned_print(&w->people, t, w->to);
	return fflush(w->to) == 0 && !ferror(w->to);
}
