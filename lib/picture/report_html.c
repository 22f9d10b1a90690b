#include "picture/plot_layout.h"
#include "picture/plot_write.h"
#include "picture/report_content.h"
#include "picture/report_write.h"
#include "base/markup.h"
#include "table/format.h"

#include <string.h>

static void text(FILE *to, const char *s)
{
	markup_text(to, s, strlen(s));
}

/* The tools of a command: "nsq-window | nsq-gaps". */
static void tools(FILE *to, const char *command)
{
	for (const char *at = command; at; at = strstr(at, "| nsq-")) {
		fputs(at == command ? "" : " | ", to);
		at += at == command ? 0 : 2;
		markup_text(to, at, strcspn(at, " "));
	}
}

/* A command takes room that most readers would rather have for what it shows. */
static void span(FILE *to, const page_span *s)
{
	static const char *const tags[][2] = { [PAGE_PLAIN] = { "", "" }, [PAGE_STRONG] = { "<strong>", "</strong>" },
		[PAGE_CODE] = { "<code>", "</code>" }, [PAGE_COMMAND] = { "</summary><code>", "</code></details>" } };

	if (s->style == PAGE_COMMAND) {
		fputs("<details><summary>", to);
		tools(to, s->text);
	}
	fputs(tags[s->style][0], to);
	(s->style == PAGE_PLAIN ? markup_label : text)(to, s->text);
	fputs(tags[s->style][1], to);
}

static void one_table(FILE *to, const page_block *b)
{
	fputs("<div class=\"wide\"><table>\n<thead>", to);
	for (size_t i = 0; i < b->cells.n; i++) {
		const page_cell *c = &b->cells.v[i];
		const char *tag = i < b->cols ? "th" : "td";
		fprintf(to, "%s<%s%s", i % b->cols ? "" : "<tr>", tag, c->number ? " class=\"number\"" : "");
		if (c->amount) {
			fputs(" title=\"", to);
			text(to, c->amount);
			fputc('"', to);
		}
		fputs(c->number || i < b->cols ? ">" : "><span>", to);
		text(to, c->text ? c->text : "-");
		fprintf(to, "%s</%s>%s%s", c->number || i < b->cols ? "" : "</span>", tag,
			(i + 1) % b->cols ? "" : "</tr>",
			i + 1 == b->cols ? "</thead>\n<tbody>\n" : (i + 1) % b->cols ? "" : "\n");
	}
	fputs("</tbody></table></div>\n", to);
}

/* Which rows of a table are drawn: those kept, of these the first of each window. */
static bool *drawn_rows(const page_block *b)
{
	size_t n = table_rows(b->drawn);
	bool *keep = mem_new(bool, n + 1);

	for (size_t i = 0, group = 0, taken = 0; i < n; i++) {
		if (group < b->drawn->groups.n && i == b->drawn->groups.v[group]) {
			group++;
			taken = 0;
		}
		keep[i] = (!b->each || taken < (size_t)b->each) && (!b->keep || b->keep[i]);
		taken++;
	}
	return keep;
}

/* Where there is no number to draw, there is no picture. */
static void one_picture(FILE *to, const page_block *b)
{
	plot_params how = b->plot;
	bool *keep = drawn_rows(b);
	char *svg = NULL;
	size_t n = 0;
	FILE *pic = open_memstream(&svg, &n);

	if (!pic)
		mem_exhausted(1, BUFSIZ);
	how.keep = keep;
	if (plot_table_svg(b->drawn, &how, 0, pic)) {
		fflush(pic);
		fprintf(to, "<figure><div class=\"wide\">\n%s", svg);
		fputs(b->spans.n ? "</div>\n<figcaption>" : "</div>", to);
		for (size_t i = 0; i < b->spans.n; i++)
			span(to, &b->spans.v[i]);
		fputs(b->spans.n ? "</figcaption></figure>\n" : "</figure>\n", to);
	}
	fclose(pic);
	free(svg);
	free(keep);
}

static void one_block(FILE *to, const page_block *b)
{
	static const char *const tags[][2] = { [PAGE_TITLE] = { "<h1>", "</h1>" }, [PAGE_HEADING] = { "<h2>", "</h2>" },
		[PAGE_PARAGRAPH] = { "<div class=\"text\">", "</div>" }, [PAGE_ITEM] = { "<li>", "</li>" },
			[PAGE_NUMBERED] = { "<li>", "</li>" } };

	if (b->kind == PAGE_TABLE) {
		one_table(to, b);
	} else if (b->kind == PAGE_PICTURE) {
		one_picture(to, b);
	} else {
		fputs(tags[b->kind][0], to);
		for (size_t i = 0; i < b->spans.n; i++)
			span(to, &b->spans.v[i]);
		fprintf(to, "%s\n", tags[b->kind][1]);
	}
}

static const char *list_of(enum page_kind kind)
{
	return kind == PAGE_ITEM ? "ul" : kind == PAGE_NUMBERED ? "ol" : NULL;
}

void report_html(report *r, FILE *to)
{
	report_page p = { 0 };
	const char *rest = markup_up_to(to, report_builtin[1], "<!-- title -->"), *open = NULL;

	report_fill(r, &p, 0);
	for (size_t i = 0; i < p.blocks.v[0].spans.n; i++)
		markup_label(to, p.blocks.v[0].spans.v[i].text);
	rest = markup_up_to(to, rest, "<!-- page -->\n");
	for (size_t i = 0; i < p.blocks.n; i++) {
		const char *list = list_of(p.blocks.v[i].kind);
		if (open && list != open)
			fprintf(to, "</%s>\n", open);
		if (list && list != open)
			fprintf(to, "<%s>\n", list);
		open = list;
		one_block(to, &p.blocks.v[i]);
	}
	fputs(rest, to);
	page_free(&p);
}
