/*
 * report - traces on one page, with the tables behind it: nsq-report.
 *
 *     report_params p = { .folder = "run.report", .warn_below = 70, .stages = purposes, .purposes = purposes };
 *     inputs one = { .traces = &(input_trace){ "run.sqlite", "run.sqlite" }, .ntraces = 1, .threads = 2 };
 *     table findings = { 0 };
 *     report_answer(&one, &p, &findings, say);   // writes the folder
 *     table_free(&findings);
 *
 * Each part is the answer of a tool, asked as the tool asks it (report_parts.h); each
 * trace is loaded once.  The page, the JSON and the CSV files are written from these
 * tables alone.
 */
#ifndef REPORT_H
#define REPORT_H

#include "answer/inputs.h"
#include "answer/question.h"
#include "trace/rules.h"

enum { REPORT_WARN_BELOW = 70 };        /* percent of the GPU time in ranges: the usual threshold */

typedef struct {
	unsigned mode;                  /* always 1, the only one */
	const char *folder;             /* NULL: report_folder */
	bool replace;                   /* may the folder be there already? */
	const char *match_text, *comm_text, *phases_text;       /* as they are written in commands, or NULL */
	const regex_t *match;           /* ranges that are the steps; NULL: those that are found */
	const load_comm *comm;            /* kernels that communicate; NULL: those of the built-in list */
	const rules *phases;            /* NULL: there is no such table */
	const rules *stages, *purposes; /* the built-in ones, or others */
	const char *findings;           /* folders of more findings, with colons between, or NULL */
	bool captured;                  /* ranges around the capture of a CUDA graph contain its replays */
	int64_t warn_below;             /* warn if less than this percentage of the GPU time is in ranges */
	void (*progress)(const char *doing, size_t done, size_t of);    /* called now and then; or NULL */
} report_params;

/* The columns of the findings. */
void report_columns(const report_params *p, table *out);

/* Write the folder; the findings are added to a table.  A trace that cannot be read or has nothing to say is a
 * problem, and left out.  False if nothing was written. */
bool report_answer(const inputs *in, const report_params *p, table *findings, notes *say);

#endif
