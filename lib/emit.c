#include "emit.h"
#include "err.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void tsv(const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '\t': fputs("\\t", stdout); break;
		case '\n': fputs("\\n", stdout); break;
		case '\r': fputs("\\r", stdout); break;
		case '\\': fputs("\\\\", stdout); break;
		default: putchar(*s);
		}
}

/* Length of the UTF-8 sequence at s, 0 if it is not one. */
static size_t utf8(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void json(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putchar('"');
	while (*s) {
		size_t n = utf8(s);
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			printf("\\u%04x", *s);
		else if (n)
			fwrite(s, 1, n, stdout);
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
	else if (f == TABLE_TSV)
		tsv(value);
	else if (strpbrk(value, ",\"\r\n\t ") || !*value)
		csv_fwrite(stdout, value, strlen(value));
	else
		fputs(value, stdout);
	if (last)
		putchar('\n');
}

char *emit_visible(const char *s, bool markdown)
{
	char *out = mem_new(char, strlen(s) * 4 + 1), *p = out;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x20 || c == 0x7f)
			p += sprintf(p, "\\x%02x", c);
		else if (markdown && c == '|')
			p += sprintf(p, "\\|");
		else
			*p++ = *s;
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
