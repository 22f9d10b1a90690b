#include "table/text_rows.h"
#include "base/text.h"

#include <csv.h>
#include <string.h>

/* Decode the escapes of TSV in place. */
static char *text_rows_unescape(char *s)
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

static void text_rows_parse_tsv(char *text, text_rows *r)
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
			vec_push(&r->fields, text_rows_unescape(f));
		}
		vec_push(&r->ends, r->fields.n);
		vec_push(&r->lines, line);
	}
}

static void text_rows_add_csv_field(void *s, size_t len, void *ctx)
{
	text_rows *r = ctx;

	vec_push(&r->fields, arena_text(&r->texts, s ? s : "", len));
}

static void text_rows_end_csv_row(int c UNNEEDED, void *ctx)
{
	text_rows *r = ctx;

	vec_push(&r->ends, r->fields.n);
	vec_push(&r->lines, r->ends.n);
}

static bool text_rows_parse_csv(const char *text, size_t n, const char *name, text_rows *r, notes *say)
{
	struct csv_parser p;
	size_t rows;
	bool ok;

	if (csv_init(&p, 0) != 0)
		mem_exhausted(1, sizeof p);
	/* This line end closes the last row.  A row that ends inside quotes stays open until csv_fini adds it. */
	ok = csv_parse(&p, text, n, text_rows_add_csv_field, text_rows_end_csv_row, r) == n &&
		csv_parse(&p, "\n", 1, text_rows_add_csv_field, text_rows_end_csv_row, r) == 1;
	rows = r->ends.n;
	ok = ok && csv_fini(&p, text_rows_add_csv_field, text_rows_end_csv_row, r) == 0;
	if (!ok)
		notes_problem(say, EXIT_WRONG, "%s is not a table: %s", name, csv_strerror(csv_error(&p)));
	else if (r->ends.n > rows)
		ok = notes_problem(say, EXIT_WRONG, "%s is cut, or no table: a quote in it is not closed", name);
	csv_free(&p);
	return ok;
}

char *text_rows_load(FILE *f, const char *name, text_rows *r, notes *say)
{
	static const char mark[] = "\xef\xbb\xbf", trace[] = "SQLite format 3";
	size_t n, skip;

	r->text = text_read(f, &n);
	if (!r->text) {
		notes_problem(say, EXIT_FAILED, "cannot read %s:", name);
		return NULL;
	}
	skip = strncmp(r->text, mark, 3) == 0 ? 3 : 0;
	if (skip + strspn(r->text + skip, " \t\r\n") == n)
		notes_problem(say, EXIT_WRONG, "%s is empty; a table has at least a header line "
			      "(did the command before it fail?)", name);
	else if (strcmp(r->text, trace) == 0)
		notes_problem(say, EXIT_WRONG, "%s is a SQLite file, not a table; pass a TSV or CSV", name);
	else if (strlen(r->text) != n)
		notes_problem(say, EXIT_WRONG, "%s is not a table: it contains a NUL byte; pass a TSV or CSV", name);
	else
		return r->text + skip;
	return NULL;
}

bool text_rows_split(char *text, const char *name, text_rows *r, notes *say)
{
	r->csv = !memchr(text, '\t', strcspn(text, "\n"));
	if (r->csv)
		return text_rows_parse_csv(text, strlen(text), name, r, say);
	text_rows_parse_tsv(text, r);
	return true;
}

void text_rows_split_as_tsv(char *text, text_rows *r)
{
	r->fields.n = r->ends.n = r->lines.n = 0;
	r->csv = false;
	text_rows_parse_tsv(text, r);
}

bool text_rows_read(FILE *f, const char *name, text_rows *r, notes *say)
{
	char *text = text_rows_load(f, name, r, say);

	return text && text_rows_split(text, name, r, say);
}

int text_rows_column(const text_rows *r, size_t row, const char *name)
{
	for (int i = 0; i < (int)text_rows_width(r, row); i++)
		if (strcmp(text_rows_field(r, row, i), name) == 0)
			return i;
	return -1;
}

void text_rows_free(text_rows *r)
{
	arena_free(&r->texts);
	mem_free(r->fields.v, r->ends.v, r->lines.v, r->text, r->quoted);
	*r = (text_rows){ 0 };
}
