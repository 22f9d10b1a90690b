#include "table/text_rows.h"
#include "base/text.h"

#include <csv.h>
#include <string.h>

/* Decode the escapes of TSV in place. */
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

static void parse_tsv(char *text, text_rows *r)
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
	text_rows *r = ctx;

	vec_push(&r->fields, arena_text(&r->texts, s ? s : "", len));
}

static void csv_row(int c, void *ctx)
{
	text_rows *r = ctx;

	(void)c;
	vec_push(&r->ends, r->fields.n);
	vec_push(&r->lines, r->ends.n);
}

static bool parse_csv(const char *text, size_t n, const char *name, text_rows *r, notes *say)
{
	struct csv_parser p;
	bool ok;

	if (csv_init(&p, 0) != 0)
		mem_exhausted(1, sizeof p);
	ok = csv_parse(&p, text, n, csv_field, csv_row, r) == n && csv_fini(&p, csv_field, csv_row, r) == 0;
	if (!ok)
		notes_problem(say, EXIT_WRONG, "%s is not a table: %s", name, csv_strerror(csv_error(&p)));
	csv_free(&p);
	return ok;
}

bool text_rows_read(FILE *f, const char *name, text_rows *r, notes *say)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n, skip;

	r->text = text_read(f, &n);
	if (!r->text)
		return notes_problem(say, EXIT_FAILED, "cannot read %s:", name);
	skip = strncmp(r->text, mark, 3) == 0 ? 3 : 0;
	if (skip + strspn(r->text + skip, " \t\r\n") == n)
		return notes_problem(say, EXIT_WRONG, "%s is empty; a table has at least a header line "
				     "(did the command before it fail?)", name);
	if (strlen(r->text) != n)
		return notes_problem(say, EXIT_WRONG, "%s is not a table: it contains a NUL byte; pass a TSV or CSV", name);
	r->csv = !memchr(r->text + skip, '\t', strcspn(r->text + skip, "\n"));
	if (r->csv)
		return parse_csv(r->text + skip, n - skip, name, r, say);
	parse_tsv(r->text + skip, r);
	return true;
}

void text_rows_free(text_rows *r)
{
	vec_free(&r->fields);
	vec_free(&r->ends);
	vec_free(&r->lines);
	arena_free(&r->texts);
	free(r->text);
	r->text = NULL;
}
