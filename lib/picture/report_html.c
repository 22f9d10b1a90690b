#include "picture/report_parts.h"
#include "base/markup.h"
#include "base/text.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <string.h>

/* Is the HTML a line of a fold, such as md_write_fold and the template write? */
static bool report_html_is_fold_line(const char *html)
{
	size_t summary = strlen("<details><summary>"), words;

	html += strspn(html, " ");
	if (strncmp(html, "<details><summary>", summary) != 0)
		return strcmp(html, "</details>\n") == 0;
	words = strcspn(html + summary, "<>&\n");
	return strcmp(html + summary + words, "</summary>\n") == 0;
}

/* Replace a node by one with this HTML, which is freed. */
static void report_html_replace_node(cmark_node *node, cmark_node_type type, char *html)
{
	cmark_node *n = cmark_node_new(type);

	cmark_node_set_literal(n, html);
	cmark_node_replace(node, n);
	cmark_node_free(node);
	free(html);
}

/* Convert a node without children.  A mark becomes its picture.  Code becomes a <bdi>, so that letters written from
 * right to left cannot reverse the text beside it.  So does HTML that is neither a mark nor a line of a fold. */
static void report_html_convert_node(report *r, cmark_node *node)
{
	cmark_node_type type = cmark_node_get_type(node);
	const char *text = cmark_node_get_literal(node);
	bool is_html = type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE;
	size_t mark = strlen(REPORT_MARK), n = 0;
	char *made = NULL;
	FILE *to;

	if (type != CMARK_NODE_CODE && (!is_html || report_html_is_fold_line(text)))
		return;
	to = text_open(&made, &n);
	if (is_html && strncmp(text, REPORT_MARK, mark) == 0) {
		const char *name = arena_text(&r->texts, text + mark, strcspn(text + mark, " "));
		fputs("<figure>\n", to);
		report_draw(r, report_part_of(r, name), to);
		fputs("</figure>\n", to);
	} else {
		fputs("<code><bdi>", to);
		markup_text(to, text, strlen(text));
		fputs("</bdi></code>", to);
	}
	text_close(to);
	report_html_replace_node(node, type == CMARK_NODE_CODE ? CMARK_NODE_HTML_INLINE : type, made);
}

/* Convert the first n bytes of Markdown to HTML, which the caller frees.  The only raw HTML in the result is that of
 * folds and what report_html_convert_node made. */
static char *report_html_convert(report *r, const char *md, size_t n)
{
	cmark_parser *parser = cmark_parser_new(CMARK_OPT_VALIDATE_UTF8);
	cmark_node *page;
	cmark_iter *at;
	cmark_llist *extensions;
	char *html;

	cmark_gfm_core_extensions_ensure_registered();
	cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
	cmark_parser_feed(parser, md, n);
	page = cmark_parser_finish(parser);
	at = cmark_iter_new(page);
	while (cmark_iter_next(at) != CMARK_EVENT_DONE)
		if (!cmark_node_first_child(cmark_iter_get_node(at)))
			report_html_convert_node(r, cmark_iter_get_node(at));
	cmark_iter_free(at);
	extensions = cmark_parser_get_syntax_extensions(parser);
	html = cmark_render_html(page, CMARK_OPT_UNSAFE, extensions);
	cmark_node_free(page);
	cmark_parser_free(parser);
	return html;
}

void report_html(report *r, const char *md, size_t n, FILE *to)
{
	const char *rest = markup_write_up_to(to, text_find_builtin(report_builtin, "page"), "<!-- title -->");
	char *html = report_html_convert(r, md, n);

	for (size_t i = 0; i < r->traces.n && i < 4; i++) {
		fputs(i ? ", " : "Report on ", to);
		markup_label(to, strrchr(r->traces.v[i], '/') ? strrchr(r->traces.v[i], '/') + 1 : r->traces.v[i]);
	}
	rest = markup_write_up_to(to, rest, "<!-- page -->\n");
	fputs(html, to);
	fputs(rest, to);
	free(html);
}
