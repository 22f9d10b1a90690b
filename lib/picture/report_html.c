#include "picture/report_template.h"
#include "picture/report_write.h"
#include "base/markup.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <string.h>

/* HTML in the Markdown that is ours; whatever else looks like HTML is text. */
static const char *const ours[] = { "</details>", "</summary>", "<details>", "<summary>" };

static bool is_ours(const char *html)
{
	while (*html) {
		size_t i = 0, n = strspn(html, "\n ");
		html += n;
		while (!n && i < sizeof ours / sizeof *ours && strncmp(html, ours[i], strlen(ours[i])) != 0)
			i++;
		if (n)
			continue;
		if (i < sizeof ours / sizeof *ours) {
			html += strlen(ours[i]);
			html += strcspn(html, "<\n&");
		} else if (*html) {
			return false;
		}
	}
	return true;
}

static char *memory(void (*write)(FILE *to, const void *what), const void *what)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		mem_exhausted(1, BUFSIZ);
	write(to, what);
	fclose(to);
	return text;
}

/* A name that turns the order of its characters turns no others. */
static void write_name(FILE *to, const void *name)
{
	fputs("<code><bdi>", to);
	markup_text(to, name, strlen(name));
	fputs("</bdi></code>", to);
}

typedef struct {
	report *r;
	const char *name;
} picture_of;

static void write_picture(FILE *to, const void *what)
{
	const picture_of *p = what;
	char *svg = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&svg, &n);

	if (!f)
		mem_exhausted(1, BUFSIZ);
	if (report_draw(p->r, report_part_of(p->r, p->name), f)) {
		fflush(f);
		fprintf(to, "<figure><div class=\"wide\">\n%s</div></figure>\n", svg);
	}
	fclose(f);
	free(svg);
}

static void replace(cmark_node *node, cmark_node_type type, char *html)
{
	cmark_node *n = cmark_node_new(type);

	cmark_node_set_literal(n, html);
	cmark_node_replace(node, n);
	cmark_node_free(node);
	free(html);
}

static void one_node(report *r, cmark_node *node)
{
	cmark_node_type type = cmark_node_get_type(node);
	const char *text = cmark_node_get_literal(node);
	size_t mark = strlen(REPORT_MARK);

	if (type == CMARK_NODE_CODE)
		replace(node, CMARK_NODE_HTML_INLINE, memory(write_name, text));
	else if (type == CMARK_NODE_HTML_BLOCK && strncmp(text, REPORT_MARK, mark) == 0)
		replace(node, type, memory(write_picture, &(picture_of){ r,
			arena_text(&r->texts, text + mark, strcspn(text + mark, " ")) }));
	else if ((type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) && !is_ours(text))
		replace(node, CMARK_NODE_CODE, strdup(text));
}

/* The Markdown as HTML, in which raw HTML is only what was looked at above. */
static char *converted(report *r, const char *md, size_t n)
{
	cmark_parser *parser = cmark_parser_new(CMARK_OPT_VALIDATE_UTF8);
	cmark_node *page;
	cmark_iter *at;
	cmark_llist *tables;
	char *html;

	cmark_gfm_core_extensions_ensure_registered();
	cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
	cmark_parser_feed(parser, md, n);
	page = cmark_parser_finish(parser);
	at = cmark_iter_new(page);
	while (cmark_iter_next(at) != CMARK_EVENT_DONE)
		if (!cmark_node_first_child(cmark_iter_get_node(at)))
			one_node(r, cmark_iter_get_node(at));
	cmark_iter_free(at);
	tables = cmark_parser_get_syntax_extensions(parser);
	html = cmark_render_html(page, CMARK_OPT_UNSAFE, tables);
	cmark_node_free(page);
	cmark_parser_free(parser);
	return html;
}

void report_html(report *r, const char *md, size_t n, FILE *to)
{
	const char *rest = markup_up_to(to, report_file("page"), "<!-- title -->");
	char *html = converted(r, md, n);

	for (size_t i = 0; i < r->traces.n && i < 4; i++) {
		fputs(i ? ", " : "Report on ", to);
		markup_label(to, strrchr(r->traces.v[i], '/') ? strrchr(r->traces.v[i], '/') + 1 : r->traces.v[i]);
	}
	rest = markup_up_to(to, rest, "<!-- page -->\n");
	fputs(html, to);
	fputs(rest, to);
	free(html);
}
