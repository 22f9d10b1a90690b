/*
 * report_content - what the page of a report says: its summary, what to do next, tables with pictures, notes.
 *
 *     report r = report_begin(&(report_params){ .warn_below = 70 });
 *     report_page p = { 0 };
 *     report_fill(&r, &p, 0);
 *     printf("%zu blocks\n", p.blocks.n);
 *     page_free(&p);
 *     report_free(&r);
 */
#ifndef REPORT_CONTENT_H
#define REPORT_CONTENT_H

#include "picture/report_page.h"
#include "picture/report_parts.h"

enum { REPORT_SQUEEZE_MOST = 18 };

/* The whole page.  squeeze: how much shorter than usual. */
void report_fill(report *r, report_page *to, size_t squeeze);

/* What stands at its beginning; its tables. */
void report_summary(report *r, report_page *to);
void report_sections(report *r, report_page *to, size_t squeeze);

/* Why there are no findings. */
const char *report_no_findings(report *r);

#endif
