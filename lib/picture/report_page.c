#include "picture/report_page.h"
#include "table/format.h"

#include <string.h>

void page_begin(report_page *p, enum page_kind kind)
{
	vec_push(&p->blocks, (page_block){ .kind = kind });
}

static page_block *last(report_page *p)
{
	return &p->blocks.v[p->blocks.n - 1];
}

static void add(report_page *p, enum page_style style, const char *text)
{
	vec_push(&last(p)->spans, (page_span){ style, text });
}

void page_say(report_page *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(p, PAGE_PLAIN, arena_vprintf(&p->texts, fmt, ap));
	va_end(ap);
}

void page_strong(report_page *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(p, PAGE_STRONG, arena_vprintf(&p->texts, fmt, ap));
	va_end(ap);
}

void page_code(report_page *p, const char *text)
{
	add(p, PAGE_CODE, arena_copy(&p->texts, text));
}

void page_command(report_page *p, const char *text)
{
	add(p, PAGE_COMMAND, arena_copy(&p->texts, text));
}

void page_add_cell(report_page *p, page_cell c)
{
	c.text = arena_copy(&p->texts, c.text);
	vec_push(&last(p)->cells, c);
}

void page_picture(report_page *p, const table *drawn, int64_t each, plot_params how)
{
	page_begin(p, PAGE_PICTURE);
	last(p)->drawn = drawn;
	last(p)->each = each;
	last(p)->plot = how;
}

const char *page_time(report_page *p, int64_t ns)
{
	char buf[FORMAT_CELL];

	return arena_copy(&p->texts, format_amount(false, (double)ns, buf, sizeof buf));
}

const char *page_cell_of(report_page *p, const table *t, size_t row, const char *column)
{
	int col = table_column(t, column);
	char buf[FORMAT_CELL];

	return arena_copy(&p->texts, format_cell(&t->cols.v[col], table_at(t, row)[col], buf, sizeof buf));
}

void page_free(report_page *p)
{
	for (size_t i = 0; i < p->blocks.n; i++) {
		vec_free(&p->blocks.v[i].spans);
		vec_free(&p->blocks.v[i].cells);
		free(p->blocks.v[i].keep);
	}
	vec_free(&p->blocks);
	arena_free(&p->texts);
}

const char *page_who(report_page *p, const table *t, size_t row)
{
	const char *rank = page_cell_of(p, t, row, "rank"), *pid = page_cell_of(p, t, row, "pid");

	return rank ? arena_printf(&p->texts, "rank %s", rank) : pid ? arena_printf(&p->texts, "process %s", pid) :
		"all processes";
}

