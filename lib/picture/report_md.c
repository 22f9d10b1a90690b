#include "picture/report_content.h"
#include "picture/report_write.h"
#include "base/markdown.h"
#include "base/printable.h"

#include <string.h>

enum { NAME_MOST = 60, NAME_END = 19 };         /* characters of a name that are shown, the last of them from its end */
enum { LINES_MOST = 120 };

/* What is not printable becomes \xNN, so that a text stays on its line. */
static const char *visible(arena *a, const char *s)
{
	char *copy = printable_copy(s);
	const char *out = arena_copy(a, copy);

	free(copy);
	return out;
}

/* After so many characters. */
static const char *after(const char *s, size_t n)
{
	for (; n && *s; n--)
		s += printable_length(s) ? printable_length(s) : 1;
	return s;
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s = after(s, 1))
		n++;
	return n;
}

/* A long name without its middle. */
static const char *cut(arena *a, const char *s)
{
	size_t n = characters(s);

	return n <= NAME_MOST ? s : arena_printf(a, "%.*s…%s", (int)(after(s, NAME_MOST - 1 - NAME_END) - s), s,
		after(s, n - NAME_END));
}

/* Words that could mean something in Markdown, or that a forge turns into links, are escaped. */
static void plain(FILE *to, const char *s)
{
	for (const char *at = s; *at;) {
		size_t link = markdown_address(s, at), n = link ? link : 1;
		fputs(link ? "`" : strchr("\\`*_[]<>&|#~$@", *at) ? "\\" : "", to);
		fwrite(at, 1, n, to);
		fputs(link ? "`" : "", to);
		at += n;
	}
}

/* Between backticks, more than the text has in a row; a blank on both sides is not part of it.  In a table a bar must
 * be escaped even there. */
static void code(FILE *to, const char *s, bool in_table)
{
	size_t most = 0, n = 0, end = strlen(s);
	bool padded = !end || *s == '`' || s[end - 1] == '`' || (*s == ' ' && s[end - 1] == ' ');

	for (const char *p = s; *p; p++) {
		n = *p == '`' ? n + 1 : 0;
		most = n > most ? n : most;
	}
	for (size_t i = 0; i <= most; i++)
		fputc('`', to);
	fputs(padded ? " " : "", to);
	for (; *s; s++) {
		if (in_table && *s == '|')
			fputc('\\', to);
		fputc(*s, to);
	}
	fputs(padded ? " " : "", to);
	for (size_t i = 0; i <= most; i++)
		fputc('`', to);
}

static void spans(FILE *to, report_page *p, const page_block *b)
{
	for (size_t i = 0; i < b->spans.n; i++) {
		const page_span *s = &b->spans.v[i];
		const char *text = visible(&p->texts, s->text);
		if (s->style == PAGE_CODE || s->style == PAGE_COMMAND) {
			code(to, s->style == PAGE_CODE ? cut(&p->texts, text) : text, false);
			continue;
		}
		fputs(s->style == PAGE_STRONG ? "**" : "", to);
		plain(to, text);
		fputs(s->style == PAGE_STRONG ? "**" : "", to);
	}
	fputc('\n', to);
}

/* What is hard to say as code in a table: readers differ about a bar behind a backslash. */
static void escaped(FILE *to, const char *s)
{
	char *text = markdown_text(s);

	fputs(text, to);
	free(text);
}

static bool is_word(const char *s)
{
	return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -")];
}

static void cell(FILE *to, report_page *p, const page_cell *c, bool header)
{
	const char *text = c->text ? cut(&p->texts, visible(&p->texts, c->text)) : "-";

	fputs("| ", to);
	if (header || c->number || is_word(text))
		fputs(text, to);
	else if (strstr(text, "\\|"))
		escaped(to, text);
	else
		code(to, text, true);
	fputc(' ', to);
}

static void one_table(FILE *to, report_page *p, const page_block *b)
{
	for (size_t i = 0; i < b->cells.n; i++) {
		cell(to, p, &b->cells.v[i], i < b->cols);
		if ((i + 1) % b->cols == 0)
			fputs("|\n", to);
		if (i + 1 != b->cols)
			continue;
		for (size_t k = 0; k < b->cols; k++)
			fputs(b->cells.v[k].number ? "|--:" : "|---", to);
		fputs("|\n", to);
	}
}

static void blocks(FILE *to, report_page *p)
{
	static const char *const marks[] = { [PAGE_TITLE] = "# ", [PAGE_HEADING] = "## ", [PAGE_PARAGRAPH] = "",
		[PAGE_ITEM] = "- ", [PAGE_NUMBERED] = "" };
	const page_block *before = NULL;
	size_t number = 0;

	for (size_t i = 0; i < p->blocks.n; i++) {
		const page_block *b = &p->blocks.v[i];
		bool listed = b->kind == PAGE_ITEM || b->kind == PAGE_NUMBERED;
		if (b->kind == PAGE_PICTURE)
			continue;
		if (before && before->kind != PAGE_HEADING && !(listed && before->kind == b->kind))
			fputc('\n', to);
		before = b;
		number = b->kind == PAGE_NUMBERED ? number + 1 : 0;
		if (b->kind == PAGE_TABLE) {
			one_table(to, p, b);
			continue;
		}
		if (number)
			fprintf(to, "%zu. ", number);
		fputs(marks[b->kind], to);
		spans(to, p, b);
	}
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* Write it, or only see whether it can be read. */
static bool squeezed(report *r, size_t squeeze, FILE *to, bool anyway)
{
	report_page p = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool fits;

	if (!f)
		mem_exhausted(1, BUFSIZ);
	report_fill(r, &p, squeeze);
	blocks(f, &p);
	fclose(f);
	fits = lines_of(text) <= LINES_MOST;
	if (to && (fits || anyway))
		fwrite(text, 1, n, to);
	free(text);
	page_free(&p);
	return fits;
}

/* It gets shorter until it can be read, unless that does not help. */
void report_md(report *r, FILE *to)
{
	size_t squeeze = 1;

	if (squeezed(r, 0, to, false))
		return;
	if (!squeezed(r, REPORT_SQUEEZE_MOST, NULL, false))
		squeeze = REPORT_SQUEEZE_MOST;
	while (!squeezed(r, squeeze, to, squeeze == REPORT_SQUEEZE_MOST) && squeeze < REPORT_SQUEEZE_MOST)
		squeeze++;
}
