/*
 * report_template - the template of a report, filled in: its page in Markdown.
 *
 *     report r = report_begin(&(report_params){ .warn_below = 70 });
 *     report_md(&r, stdout);
 *     report_free(&r);
 *
 * A line with a {{word}} is filled in by the function of that name (report_words.c), a block with the table of the
 * command that it begins with (report_table.c).  What both leave empty is dropped, with the headings above it.
 */
#pragma once

#include "picture/report_parts.h"

#include <stdio.h>

void report_md(report *r, FILE *to);

/* The page: that Markdown as HTML, with pictures. */
void report_html(report *r, const char *md, size_t n, FILE *to);

/* ---- what it is filled in with */

/* The words for a name; false: there is no such name. */
bool report_say(report *r, const char *name, size_t n, FILE *to);

/* The table of a block, the mark of its picture, and its command.  Nothing, if there is nothing to show. */
void report_show(report *r, report_part *part, FILE *to);

/* What a word of nsq-gaps or nsq-ledger means, or NULL. */
const char *report_meaning(report *r, const char *word);

/* Why there are no findings. */
const char *report_no_findings(report *r);

/* Do processes differ, so that there is a table of them? */
bool report_differ(report *r);

/* Who a row is about: "rank 2", "process 4711" or "all processes"; in Markdown, of several traces without ranks, of
 * which. */
const char *report_label(report *r, const table *t, size_t row);
void report_who(report *r, const table *t, size_t row, FILE *to);

/* ---- pictures */

/* Is a row about the step that is drawn? */
bool report_is_drawn(const report *r, const table *t, size_t row);

/* The mark of a picture: in Markdown nobody sees it, in HTML the picture stands there. */
#define REPORT_MARK "<!-- picture "

/* Draw the picture of a part as SVG.  False: there is nothing to draw. */
bool report_draw(report *r, const report_part *part, FILE *to);
