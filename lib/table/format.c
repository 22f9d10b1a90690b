#include "table/format.h"
#include "base/number.h"
#include "base/printable.h"

#include <csv.h>
#include <math.h>
#include <string.h>

enum format format_named(const char *s)
{
	static const char *const names[] = {
		[FORMAT_TSV] = "tsv", [FORMAT_ALIGNED] = "table", [FORMAT_CSV] = "csv",
		[FORMAT_JSONL] = "jsonl", [FORMAT_MD] = "md",
	};

	for (int i = FORMAT_TSV; i <= FORMAT_MD; i++)
		if (strcmp(s, names[i]) == 0)
			return (enum format)i;
	return FORMAT_AUTO;
}

/* Only one thread writes, so no byte needs a lock. */
static inline void put(FILE *f, char c)
{
	putc_unlocked(c, f);
}

static inline void puts_to(FILE *f, const char *s)
{
	fputs_unlocked(s, f);
}

static inline void write_to(FILE *f, const char *s, size_t n)
{
	fwrite_unlocked(s, 1, n, f);
}

static void tsv(FILE *f, const char *s)
{
	for (; *s; s++) {
		const char *from = s;
		while ((unsigned char)*s >= ' ' && *s != '\\')
			s++;
		write_to(f, from, (size_t)(s - from));
		switch (*s) {
		case 0: return;
		case '\t': puts_to(f, "\\t"); break;
		case '\n': puts_to(f, "\\n"); break;
		case '\r': puts_to(f, "\\r"); break;
		case '\\': puts_to(f, "\\\\"); break;
		default: put(f, *s);
		}
	}
}

/* On a terminal, unprintable bytes become \xNN.  Elsewhere the next program gets the bytes of the trace
 * unchanged. */
static void tsv_for_terminal(FILE *f, const char *s)
{
	while (*s) {
		size_t n = printable_length(s);
		if (strchr("\t\n\r\\", *s))
			tsv(f, (char[]){ *s, 0 });
		else if (n)
			write_to(f, s, n);
		else
			fprintf(f, "\\x%02x", (unsigned char)*s);
		s += n ? n : 1;
	}
}

static void csv(FILE *f, const char *s)
{
	if (strpbrk(s, ",\"\r\n\t ") || !*s)
		csv_fwrite(f, s, strlen(s));
	else
		puts_to(f, s);
}

static void json(FILE *f, const char *s)
{
	put(f, '"');
	while (*s) {
		size_t n = printable_utf8(s);
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (printable_length(s))
			write_to(f, s, n);
		else if (n)             /* a control character, one or two bytes long */
			fprintf(f, "\\u%04x", (unsigned char)s[n - 1]);
		else
			puts_to(f, "\\ufffd");  /* JSON must be UTF-8; mark bytes that are not */
		s += n ? n : 1;
	}
	put(f, '"');
}

/* A copy that is safe to display: unprintable bytes become \xNN, and in Markdown '|' is escaped.  The
 * caller frees it. */
static char *visible(const char *s, bool markdown)
{
	char *out = mem_new(char, strlen(s) * 4 + 1), *p = out;

	while (*s) {
		size_t n = printable_length(s);
		if (markdown && *s == '|')
			p = stpcpy(p, "\\|");
		else if (n)
			p = mempcpy(p, s, n);
		else
			p += sprintf(p, "\\x%02x", (unsigned char)*s);
		s += n ? n : 1;
	}
	return out;
}

static void json_cell(FILE *f, const char *name, const char *value, bool number)
{
	json(f, name);
	put(f, ':');
	if (!value)
		puts_to(f, "null");
	else if (number)
		puts_to(f, value);
	else
		json(f, value);
}

static void plain_cell(const format_writer *w, const char *value, bool number)
{
	if (!value)
		put(w->to, '-');
	else if (number)
		puts_to(w->to, value);
	else if (w->format == FORMAT_TSV)
		(w->terminal ? tsv_for_terminal : tsv)(w->to, value);
	else if (w->terminal) {
		char *safe = visible(value, false);
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

/* The text of a cell, in buf if it is a number; NULL if it is missing. */
static const char *cell_text(char type, table_cell c, char *buf, size_t size)
{
	if (type == 't')
		return c.t;
	if (type == 'd' ? !isfinite(c.d) : c.i == TABLE_MISSING)
		return NULL;
	if (type == 'p')
		return pid_text(c.i, buf, size);
	if (type == 'i')
		return int_text(c.i, buf + size);
	snprintf(buf, size, "%.2f", c.d);
	return buf;
}

static bool keeps(const format_writer *w)
{
	return w->format == FORMAT_ALIGNED || w->format == FORMAT_MD;
}

static void write_row(format_writer *w, const table *t, const table_cell *row)
{
	char buf[400];

	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		const char *s = cell_text(c->type, row[i], buf, sizeof buf);
		bool number = c->type == 'i' || c->type == 'd' || (c->type == 'p' && s && !strchr(s, ':'));
		if (keeps(w)) {
			vec_push(&w->kept, visible(s ? s : "-", w->format == FORMAT_MD));
			continue;
		}
		if (i || w->format == FORMAT_JSONL)
			put(w->to, !i ? '{' : w->format == FORMAT_TSV ? '\t' : ',');
		if (w->format == FORMAT_JSONL)
			json_cell(w->to, c->name, s, number);
		else
			plain_cell(w, s, number);
	}
	if (!keeps(w))
		puts_to(w->to, w->format == FORMAT_JSONL ? "}\n" : "\n");
	w->rows++;
}

void format_header(format_writer *w, const table *t)
{
	if (w->headed)
		return;
	w->headed = true;
	for (size_t i = 0; i < t->cols.n; i++) {
		const char *name = t->cols.v[i].name;
		if (keeps(w)) {
			vec_push(&w->kept, visible(name, w->format == FORMAT_MD));
		} else if (w->format != FORMAT_JSONL) {
			if (i)
				put(w->to, w->format == FORMAT_TSV ? '\t' : ',');
			plain_cell(w, name, false);
		}
	}
	if (!keeps(w) && w->format != FORMAT_JSONL)
		put(w->to, '\n');
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

/* Width on the screen: the number of code points is close enough. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void pad(FILE *f, char c, size_t n)
{
	while (n--)
		put(f, c);
}

/* The line under the header of a Markdown table. */
static void rule(FILE *f, const table *t, const size_t *wide)
{
	for (size_t k = 0; k < t->cols.n; k++) {
		puts_to(f, "|-");
		pad(f, '-', wide[k]);
		put(f, t->cols.v[k].type != 't' ? ':' : '-');
	}
	puts_to(f, "|\n");
}

/* Print all the cells that were kept, header first. */
static void aligned(const format_writer *w, const table *t)
{
	size_t cols = t->cols.n, *wide = mem_new(size_t, cols);
	bool markdown = w->format == FORMAT_MD;

	for (size_t i = 0; i < w->kept.n; i++)
		if (width(w->kept.v[i]) > wide[i % cols])
			wide[i % cols] = width(w->kept.v[i]);
	for (size_t i = 0; i < w->kept.n; i++) {
		size_t c = i % cols, gap = wide[c] - width(w->kept.v[i]);
		bool right = t->cols.v[c].type != 't', last = c + 1 == cols;
		puts_to(w->to, markdown ? c ? " | " : "| " : c ? "  " : "");
		pad(w->to, ' ', right ? gap : 0);
		puts_to(w->to, w->kept.v[i]);
		pad(w->to, ' ', !right && (markdown || !last) ? gap : 0);
		if (last)
			puts_to(w->to, markdown ? " |\n" : "\n");
		if (markdown && i + 1 == cols)
			rule(w->to, t, wide);
	}
	free(wide);
}

bool format_end(format_writer *w, const table *t)
{
	if (w->headed && keeps(w))
		aligned(w, t);
	for (size_t i = 0; i < w->kept.n; i++)
		free(w->kept.v[i]);
	vec_free(&w->kept);
	return fflush(w->to) == 0 && !ferror(w->to);
}
