#include "picture/plot_parts.h"
#include "base/arena.h"
#include "base/markup.h"
#include "base/number.h"
#include "base/text.h"
#include "table/format.h"

#include <math.h>
#include <string.h>

enum {
	ROWS_MOST = 20000,      /* the most rows of a table in a page; more make it slow */
	BARS_MOST = 40          /* the most bars whose parts are written as a table; more make it too wide */
};

static void plot_html_write_text(FILE *to, const char *s)
{
	markup_text(to, s, strlen(s));
}

/* Begin the caption of a table.  The caller writes its text, calls plot_html_end_caption, and writes the cells of
 * the header. */
static void plot_html_begin_table(FILE *to)
{
	fputs("<table>\n<caption><span>", to);
}

static void plot_html_end_caption(FILE *to)
{
	fputs("</span> <button type=\"button\">Copy as CSV</button></caption>\n<thead><tr>", to);
}

/* Write the name of a table: the name that the user gave it, otherwise its file.  Write nothing for standard input
 * that the user gave no name.  Tables without a name from the user are called t, t2, ... (input_table.name), and
 * read_table.name has a file in quotes. */
static void plot_html_write_table_name(FILE *to, const input_table *in)
{
	bool numbered = *in->name == 't' && strspn(in->name + 1, "0123456789") == strlen(in->name + 1),
		may_turn = false;
	const char *name = numbered ? in->table.name : in->name;

	if (*in->table.name != '\'' && numbered)
		return;
	for (const char *p = name; *p; p++)
		may_turn |= (unsigned char)*p > 0x7f;   /* such a character may reverse the order of the characters
							 * beside it */
	fputs(may_turn ? "<bdi>" : "", to);
	plot_html_write_text(to, name);
	fputs(may_turn ? "</bdi>, " : ", ", to);
}

/* Does the column hold amounts, which are shown with three figures and a unit, as in the picture?  Moments are shown
 * in full. */
static bool plot_html_is_amount(const table_col *c)
{
	char buf[NUMBER_AMOUNT_SIZE];

	return c->type != 't' && column_about_of(c->name)->role != COLUMN_PLACE && number_amount(0, c->unit, buf);
}

/* Write a cell that shows `shown`.  In the copied CSV it has `value`. */
static void plot_html_write_amount(FILE *to, const char *tag, const char *value, const char *shown)
{
	fprintf(to, "<%s class=\"number\" data-is=\"", tag);
	markup_text(to, value, strlen(value));
	fputs("\">", to);
	markup_text(to, shown, strlen(shown));
	fprintf(to, "</%s>", tag);
}

static void plot_html_write_cell(FILE *to, const table_col *c, table_cell cell)
{
	char buf[FORMAT_CELL], amount[NUMBER_AMOUNT_SIZE];
	const char *s = format_cell(c, cell, buf, sizeof buf);

	if (s && plot_html_is_amount(c))
		plot_html_write_amount(to, "td", s,
				       number_amount(c->type == 'd' ? cell.d : strtod(s, NULL), c->unit, amount));
	else
		markup_element(to, "td", c->type == 't' ? NULL : "number", s ? s : "-");
}

static void plot_html_write_header_cell(FILE *to, const table_col *c)
{
	const char *cut = plot_html_is_amount(c) && column_unit(c->name) ? strrchr(c->name, '_') : NULL;
	arena texts = { 0 };

	if (cut)
		plot_html_write_amount(to, "th", c->name, arena_text(&texts, c->name, (size_t)(cut - c->name)));
	else
		markup_element(to, "th", c->type == 't' ? NULL : "number", c->name);
	arena_free(&texts);
}

static void plot_html_write_table(FILE *to, const input_table *in, notes *say)
{
	const table *t = &in->table.rows;
	size_t rows = table_rows(t), shown = rows < ROWS_MOST ? rows : ROWS_MOST;

	plot_html_begin_table(to);
	plot_html_write_table_name(to, in);
	fprintf(to, "%zu row%s", rows, rows == 1 ? "" : "s");
	plot_html_end_caption(to);
	for (size_t c = 0; c < t->cols.n; c++)
		plot_html_write_header_cell(to, &t->cols.v[c]);
	fputs("</tr></thead>\n<tbody>\n", to);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", to);
		for (size_t c = 0; c < t->cols.n; c++)
			plot_html_write_cell(to, &t->cols.v[c], table_at(t, r)[c]);
		fputs("</tr>\n", to);
	}
	fputs("</tbody>\n</table>\n", to);
	if (shown < rows) {
		fprintf(to, "<p>The page holds the first %zu of %zu rows.</p>\n", shown, rows);
		notes_remark(say, "the page holds the first %zu of %zu rows of %s; the picture is of all", shown, rows,
			in->table.name);
	}
}

/* Write the parts and totals of stacked bars as a table, in the unit of the picture, if there is only one panel, at
 * most BARS_MOST bars and more than one category. */
static void plot_html_write_sums(FILE *to, const plot *p)
{
	const plot_panel *panel = p->panels.v;
	size_t n = p->panels.n == 1 && p->kind == PLOT_STACK ? panel->slots->n : 0, rows = p->series.n + 1;
	double *sums = mem_new(double, n * rows + 1), most = 0;

	for (size_t i = 0; n && i < panel->marks.n; i++) {
		const plot_mark *m = &panel->marks.v[i];
		sums[m->series * n + m->slot] += m->y1 - m->y0;
		sums[p->series.n * n + m->slot] += m->y1 - m->y0;
		most = fmax(most, fabs(sums[p->series.n * n + m->slot]));
	}
	if (n && n <= BARS_MOST && p->series.n > 1) {
		plot_unit u = plot_choose_unit(panel->unit, most);
		plot_html_begin_table(to);
		plot_html_write_text(to, p->value ? p->value : "values");
		fprintf(to, "%s%s", *u.name ? " in " : "", u.name);
		plot_html_end_caption(to);
		markup_element(to, "th", NULL, "");
		for (size_t i = 0; i < n; i++)
			markup_element(to, "th", "number", panel->slots->v[i]);
		fputs("</tr></thead>\n<tbody>\n", to);
		for (size_t r = 0; r < rows; r++) {
			fputs(r + 1 < rows ? "<tr>" : "<tr class=\"total\">", to);
			markup_element(to, "td", NULL, r + 1 < rows ? p->series.v[r].name : "total");
			for (size_t i = 0; i < n; i++)
				fprintf(to, sums[r * n + i] != 0 ? "<td class=\"number\">%.*f</td>" :
					"<td class=\"number\">-</td>", most < u.scale ? 6 : 3,
					sums[r * n + i] / u.scale);
			fputs("</tr>\n", to);
		}
		fputs("</tbody>\n</table>\n", to);
	}
	free(sums);
}

/* Write the picture twice: as it is, and narrow for a phone.  The page shows only one of them.  What the narrow
 * picture merges is said in it alone, not in the notes. */
static void plot_html_write_pictures(const plot *shown, const picture *p, FILE *to)
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
	const char *page = markup_write_up_to(to, text_find_builtin(plot_builtin, "page"), "<!-- title -->");

	markup_label(to, p->title);
	page = markup_write_up_to(to, page, "/* style */\n");
	fputs(text_find_builtin(plot_builtin, "style"), to);
	page = markup_write_up_to(to, page, "<!-- picture -->\n");
	plot_html_write_pictures(shown, p, to);
	page = markup_write_up_to(to, page, "<!-- tables -->\n");
	plot_html_write_sums(to, shown);
	for (size_t i = 0; i < in->ntables; i++)
		plot_html_write_table(to, &in->tables[i], say);
	page = markup_write_up_to(to, page, "/* script */\n");
	fputs(text_find_builtin(plot_builtin, "script"), to);
	fputs(page, to);
}
