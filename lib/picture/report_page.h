/*
 * report_page - the page of a report as a value: headings, paragraphs, tables and pictures, which Markdown and HTML show.
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
#include "picture/report_parts.h"

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

/* The whole page.  squeeze: how much shorter than usual. */
enum { REPORT_SQUEEZE_MOST = 18 };
void report_page_fill(report *r, report_page *to, size_t squeeze);
void report_summary(report *r, report_page *to);
void report_sections(report *r, report_page *to, size_t squeeze);
void report_findings(report *r, report_page *to);
void report_lists(report *r, report_page *to);

/* ---- what these share; of is the path of a trace, or NULL for all */

bool report_is_of(const table *t, size_t row, const char *of);

/* Were steps found, so that the typical steps are not processes as a whole? */
bool report_has_steps(report *r, const char *of);

/* "rank 2", "process 4711" or "all processes". */
const char *report_who(report_page *to, const table *t, size_t row);

/* Begin an item of the summary. */
void report_item(report *r, report_page *to, const char *what, const char *of);

/* Items about the typical step, and about how much of the GPU time is in ranges. */
void report_typical(report *r, report_page *to, const char *of);
void report_coverage(report *r, report_page *to, const char *of);

/* Why there are no findings. */
const char *report_no_findings(report *r);

/* Is a finding about processes of several traces at once? */
bool report_finding_of_several(report *r, size_t row);

/* Are two rows about the same window of the same process and GPU? */
bool report_same_window(const table *a, size_t i, const table *b, size_t k);

#endif
