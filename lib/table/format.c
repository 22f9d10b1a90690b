#include "table/format.h"
#include "cli/errors.h"
#include "base/printable.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

/* On a terminal a name must not act: there, and only there, what is not visible becomes \xNN in TSV
 * and CSV too.  Elsewhere the bytes are those of the trace, for the next program. */
static bool watched(void)
{
	static int tty = -1;

	if (tty < 0)
		tty = isatty(STDOUT_FILENO);
	return tty;
}

void emit_begin(void)
{
	__fsetlocking(stdout, FSETLOCKING_BYCALLER);    /* one thread writes: a lock for each byte costs most */
}

static void tsv(const char *s)
{
	for (; *s; s++) {
		const char *from = s;
		while ((unsigned char)*s >= ' ' && *s != '\\')
			s++;
		fwrite(from, 1, (size_t)(s - from), stdout);
		switch (*s) {
		case 0: return;
		case '\t': fputs("\\t", stdout); break;
		case '\n': fputs("\\n", stdout); break;
		case '\r': fputs("\\r", stdout); break;
		case '\\': fputs("\\\\", stdout); break;
		default: putchar(*s);
		}
	}
}

static void watched_tsv(const char *s)
{
	while (*s) {
		size_t n = visible_length(s);
		if (strchr("\t\n\r\\", *s))
			tsv((char[]){ *s, 0 });
		else if (n)
			fwrite(s, 1, n, stdout);
		else
			printf("\\x%02x", (unsigned char)*s);
		s += n ? n : 1;
	}
}

static void csv(const char *s)
{
	if (strpbrk(s, ",\"\r\n\t ") || !*s)
		csv_fwrite(stdout, s, strlen(s));
	else
		fputs(s, stdout);
}

static void json(const char *s)
{
	putchar('"');
	while (*s) {
		size_t n = visible_utf8(s);
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (visible_length(s))
			fwrite(s, 1, n, stdout);
		else if (n)             /* a control character, one or two bytes long */
			printf("\\u%04x", (unsigned char)s[n - 1]);
		else
			fputs("\\ufffd", stdout);   /* JSON is UTF-8; what is not is marked so */
		s += n ? n : 1;
	}
	putchar('"');
}

void emit_cell(enum table_format f, const char *name, const char *value, bool number, bool first, bool last)
{
	if (f == TABLE_JSONL) {
		putchar(first ? '{' : ',');
		json(name);
		putchar(':');
		if (!value)
			fputs("null", stdout);
		else if (number)
			fputs(value, stdout);
		else
			json(value);
		fputs(last ? "}\n" : "", stdout);
		return;
	}
	if (!first)
		putchar(f == TABLE_TSV ? '\t' : ',');
	if (!value)
		putchar('-');
	else if (number)
		fputs(value, stdout);
	else if (f == TABLE_TSV && watched())
		watched_tsv(value);
	else if (f == TABLE_TSV)
		tsv(value);
	else if (watched()) {
		char *safe = emit_visible(value, false);
		csv(safe);
		free(safe);
	} else
		csv(value);
	if (last)
		putchar('\n');
}

char *emit_visible(const char *s, bool markdown)
{
	char *out = mem_new(char, strlen(s) * 4 + 1), *p = out;

	while (*s) {
		size_t n = visible_length(s);
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

/* Columns that a text takes: code points, near enough. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void pad(size_t n)
{
	while (n--)
		putchar(' ');
}

void emit_aligned(char **cells, size_t n, const char *types, size_t cols, bool markdown)
{
	size_t *wide = mem_new(size_t, cols);

	for (size_t i = 0; i < n; i++)
		if (width(cells[i]) > wide[i % cols])
			wide[i % cols] = width(cells[i]);
	for (size_t i = 0; i < n; i++) {
		size_t c = i % cols, gap = wide[c] - width(cells[i]);
		bool right = types[c] != 't', last = c + 1 == cols;
		fputs(markdown ? c ? " | " : "| " : c ? "  " : "", stdout);
		if (right)
			pad(gap);
		fputs(cells[i], stdout);
		if (!right && (markdown || !last))
			pad(gap);
		if (last)
			puts(markdown ? " |" : "");
		if (last && markdown && i + 1 == cols)
			for (size_t k = 0; k < cols; k++) {
				fputs("|-", stdout);
				for (size_t j = 0; j < wide[k]; j++)
					putchar('-');
				fputs(types[k] != 't' ? ":" : "-", stdout);
				if (k + 1 == cols)
					puts("|");
			}
	}
	free(wide);
}

void emit_end(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		complain(EXIT_FAILED, "cannot write the table:");
}
