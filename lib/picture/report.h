/*
 * report - traces on one page, with the tables behind it: nsq-report.
 *
 *     report_params p = { .folder = "run.report", .warn_below = 70, .read = tools_read };
 *     inputs one = { .traces = &(input_trace){ "run.sqlite", "run.sqlite" }, .ntraces = 1, .threads = 1 };
 *     table findings = { 0 };
 *     report_answer(&one, &p, &findings, say);   // writes the folder
 *     table_free(&findings);
 *
 * The page is share/report/template.md: words, and blocks that name a command.  Each is read by its tool and answered
 * as it answers (report_parts.h), of traces that are loaded once, and its table shown (report_table.c), drawn
 * (report_draw.c) and written as CSV.  The Markdown that comes of it becomes the page of HTML.
 */
#pragma once

#include "answer/inputs.h"
#include "answer/question.h"
#include "base/text.h"
#include "trace/rules.h"

enum { REPORT_WARN_BELOW = 70 };        /* percent of the GPU time in ranges: the usual threshold */

enum { REPORT_KEEP_HOST = 1, REPORT_KEEP_COMMAND = 2 };

typedef struct {                        /* a command as its tool reads it */
	const answer *of;
	void *params;                   /* for free() */
	bool merge;                     /* --merge */
	int64_t limit;                  /* -n; 0: all rows */
} report_tool;

typedef vec(size_t) report_titles;

typedef struct {
	unsigned mode;                  /* always 1, the only one */
	void (*read)(const text_list *words, report_tool *to);  /* reads a command of the template: tools_read */
	const char *folder;             /* NULL: that of the trace, NAME.report */
	bool replace;                   /* may the folder be there already? */
	const char *phases_text;        /* as it is written in commands; NULL: there is no such table */
	steps_choice choice;            /* of the steps */
	const load_comm *comm;            /* kernels that communicate; NULL: those of the built-in list */
	bool captured;                  /* ranges around the capture of a CUDA graph contain its replays */
	int64_t warn_below;             /* warn if less than this percentage of the GPU time is in ranges */
	unsigned keep;                  /* REPORT_KEEP_...: facts that are left out otherwise */
	bool view;                      /* write a page of nsq-view beside it, */
	void (*progress)(const char *doing, size_t done, size_t of);    /* called now and then; or NULL */
	report_titles *titles;          /* out: by finding, how long the title is that it begins with; or NULL */
} report_params;

/* The columns of the findings. */
void report_columns(const report_params *p, table *out);

/* Write the folder; the findings are added to a table.  A trace that cannot be read or has nothing to say is a
 * problem, and left out.  False if nothing was written. */
bool report_answer(const inputs *in, const report_params *p, table *findings, notes *say);
