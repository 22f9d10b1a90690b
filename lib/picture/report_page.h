/*
 * report_page - the page of a report as a value: headings, paragraphs, tables and pictures, for Markdown and HTML.
 *
 *     report_page p = { 0 };
 *     page_begin(&p, PAGE_PARAGRAPH);
 *     page_say(&p, "The step takes %d ms in ", 12);
 *     page_code(&p, "attention");                // a name, which may hold anything
 *     page_free(&p);
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "picture/plot.h"

enum page_kind { PAGE_TITLE, PAGE_HEADING, PAGE_PARAGRAPH, PAGE_ITEM, PAGE_NUMBERED, PAGE_TABLE, PAGE_PICTURE };
enum page_style { PAGE_PLAIN, PAGE_STRONG, PAGE_CODE, PAGE_COMMAND };

typedef struct {
	enum page_style style;
	const char *text;
} page_span;

typedef struct {
	bool number;            /* is it of a column of numbers? */
	const char *text;       /* NULL: missing */
	const char *amount;     /* a time or bytes for people, or NULL */
} page_cell;

typedef struct {
	enum page_kind kind;
	vec(page_span) spans;
	vec(page_cell) cells;   /* of a table, header first, */
	size_t cols;            /* so many in a row */
	const table *drawn;     /* of a picture, */
	int64_t each;           /* its first rows of each window; 0: all; */
	bool *keep;             /* which of these; NULL: all; freed with the page; */
	plot_params plot;       /* and how */
} page_block;

typedef struct {
	vec(page_block) blocks;
	arena texts;
} report_page;

/* Begin a block; the next calls add to it. */
void page_begin(report_page *p, enum page_kind kind);

void page_say(report_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void page_strong(report_page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void page_code(report_page *p, const char *text);
void page_command(report_page *p, const char *text);

/* A cell of a table; a text is copied. */
void page_add_cell(report_page *p, page_cell c);

/* A picture; what is said until the next block stands below it. */
void page_picture(report_page *p, const table *drawn, int64_t each, plot_params how);

/* A time for people: 4.057 ms. */
const char *page_time(report_page *p, int64_t ns);

void page_free(report_page *p);

/* The text of a cell in a column that the table has, or NULL. */
const char *page_cell_of(report_page *p, const table *t, size_t row, const char *column);

/* Who a row is about: "rank 2", "process 4711" or "all processes". */
const char *page_who(report_page *p, const table *t, size_t row);

#endif
