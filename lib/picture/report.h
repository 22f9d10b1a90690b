/*
 * report - traces on one page, with the tables behind it: nsq-report.
 *
 *     report_params p = { .folder = "run.report", .warn_below = 70, .read = tools_parse_command };
 *     inputs one = { .traces = &(input_trace){ "run.sqlite", "run.sqlite" }, .ntraces = 1, .threads = 1 };
 *     table findings = { 0 };
 *     report_answer(&one, &p, &findings, say);   // writes the folder
 *     table_free(&findings);
 *
 * The page is made from share/report/template.md, which holds text and blocks.  A block names a command of a tool.  The
 * options of the command are read as on the tool's command line, and the tool's answer gives a table (report_parts.h).
 * All commands share what is loaded of a trace.  The table is shown (report_table.c), drawn if the block says so
 * (report_draw.c), and written as CSV.  The page of HTML is made from the Markdown.
 */
#pragma once

#include "answer/inputs.h"
#include "answer/question.h"
#include "base/text.h"
#include "trace/rules.h"

enum { REPORT_WARN_BELOW = 70 };        /* the default of warn_below */

enum {
	REPORT_KEEP_HOST = 1,           /* the host of the capture */
	REPORT_KEEP_COMMAND = 2         /* the command of the capture */
};

typedef struct {                        /* a command of the template; its options are read as by its tool */
	const answer *of;               /* the tool's answer */
	void *params;                   /* the parameters of the answer; the caller of report_params.read frees them */
	bool merge;                     /* is there --merge? */
	int64_t limit;                  /* -n; 0: all rows */
} report_tool;

typedef vec(size_t) report_titles;

typedef struct {
	unsigned mode;                  /* always 1, because there is only one mode */
	void (*read)(const text_list *words, report_tool *to);  /* reads the words of a command: tools_parse_command */
	const char *folder;             /* NULL: NAME.report in the current folder, where NAME is that of the only
					 * trace */
	bool replace;                   /* may a report in the folder be replaced? */
	const char *phases_text;        /* the rules of --phases as the user wrote them, to be put into commands;
					 * NULL: there is no table of phases */
	const char *ncu;                /* the path of a CSV of Nsight Compute; NULL: there are no tables of FLOPs */
	const char *peak;               /* the peak of the GPU for tables of FLOPs, as the user wrote it; NULL: the
					 * peak of its data sheet */
	steps_choice choice;            /* which ranges are steps */
	const load_comm_pattern *comm;	/* kernels that communicate; NULL: those of the built-in list */
	bool captured;                  /* ranges around the capture of a CUDA graph contain its replays */
	int64_t warn_below;             /* nsq-nvtx warns if less than this percentage of the GPU time is in ranges */
	unsigned keep;                  /* REPORT_KEEP_...: the facts to write; without its bit, each is left out */
	bool view;                      /* also write a page of nsq-view into the folder */
	void (*progress)(const char *doing, size_t done, size_t total); /* called by any thread: `done` of `total`
									 * units of work are done; or NULL */
	report_titles *titles;          /* out: for each finding, the length of the title with which its text begins;
					 * NULL: not wanted */
} report_params;

/* The columns of the findings. */
void report_columns(const report_params *p, table *out);

/* Write the folder, and set *findings to the table of findings.  A trace that cannot be read, or does not list its
 * processes, is a problem and is left out.  False if nothing was written. */
bool report_answer(const inputs *in, const report_params *p, table *findings, notes *say);
