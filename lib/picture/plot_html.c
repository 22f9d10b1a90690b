#include "picture/plot_layout.h"
#include "picture/plot_write.h"
#include "base/markup.h"
#include "table/format.h"

#include <string.h>

enum { ROWS_MOST = 20000 };     /* more make a page slow */

static void text(FILE *to, const char *s)
{
	markup_text(to, s, strlen(s));
}

static void write_cell(FILE *to, const table *t, size_t row, size_t col)
{
	char buf[FORMAT_CELL];
	const char *s = format_cell(&t->cols.v[col], table_at(t, row)[col], buf, sizeof buf);

	fputs(t->cols.v[col].type == 't' ? "<td>" : "<td class=\"number\">", to);
	text(to, s ? s : "-");
	fputs("</td>", to);
}

/* Which table it is: its file, or the name that it was given, if any; where it was read from means nothing on a
 * page. */
static void write_name(FILE *to, const input_table *in)
{
	bool numbered = *in->name == 't' && strspn(in->name + 1, "0123456789") == strlen(in->name + 1),
		may_turn = false;
	const char *name = numbered ? in->table.name : in->name;

	if (*in->table.name != '\'' && numbered)
		return;
	for (const char *p = name; *p; p++)
		may_turn |= (unsigned char)*p > 0x7f;   /* the characters beside it */
	fputs(may_turn ? "<bdi>" : "", to);
	text(to, name);
	fputs(may_turn ? "</bdi>, " : ", ", to);
}

static void write_table(FILE *to, const input_table *in, notes *say)
{
	const table *t = &in->table.rows;
	size_t rows = table_rows(t), shown = rows < ROWS_MOST ? rows : ROWS_MOST;

	fputs("<table>\n<caption><span>", to);
	write_name(to, in);
	fprintf(to, "%zu row%s</span> <button type=\"button\">Copy as CSV</button></caption>\n<thead><tr>", rows,
		rows == 1 ? "" : "s");
	for (size_t c = 0; c < t->cols.n; c++) {
		fputs(t->cols.v[c].type == 't' ? "<th>" : "<th class=\"number\">", to);
		text(to, t->cols.v[c].name);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", to);
		for (size_t c = 0; c < t->cols.n; c++)
			write_cell(to, t, r, c);
		fputs("</tr>\n", to);
	}
	fputs("</tbody>\n</table>\n", to);
	if (shown < rows) {
		fprintf(to, "<p>The page holds the first %zu of %zu rows.</p>\n", shown, rows);
		notes_remark(say, "the page holds the first %zu of %zu rows of %s; the picture is of all", shown, rows,
			in->table.name);
	}
}

/* The same picture once more, laid out for a telephone, which shows it instead.  What it merges is said in it. */
static void write_pictures(const plot *shown, const picture *p, FILE *to)
{
	enum { NARROW = 360 };
	picture_metrics m = *p->metrics;
	picture narrow = { 0 };

	m.width = NARROW;
	plot_layout(shown, &m, &narrow, NULL);
	fputs("<div class=\"wide\">\n", to);
	plot_svg(p, to);
	fputs("</div>\n<div class=\"narrow\">\n", to);
	plot_svg(&narrow, to);
	fputs("</div>\n", to);
	picture_free(&narrow);
}

void plot_html(const plot *shown, const picture *p, const inputs *in, FILE *to, notes *say)
{
	const char *page = markup_up_to(to, plot_file("page"), "<!-- title -->");

	markup_label(to, p->title);
	page = markup_up_to(to, page, "/* style */\n");
	fputs(plot_file("style"), to);
	page = markup_up_to(to, page, "<!-- picture -->\n");
	write_pictures(shown, p, to);
	page = markup_up_to(to, page, "<!-- tables -->\n");
	for (size_t i = 0; i < in->ntables; i++)
		write_table(to, &in->tables[i], say);
	page = markup_up_to(to, page, "/* script */\n");
	fputs(plot_file("script"), to);
	fputs(page, to);
}
