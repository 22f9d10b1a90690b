/*
 * report_parts - declarations for lib/picture/report*.c alone: the tables of a report, which come from the commands in
 * its template, the filling in of the template, and the folder.  Texts that these functions return live as long as the
 * report.
 *
 *     report r = report_begin(&(report_params){ .warn_below = 70 });
 *     vec_push(&r.traces, "run.sqlite");
 *     puts(report_command(&r, report_part_of(&r, "kernels")));          // nsq-kernels run.sqlite
 *     report_md(&r, stdout);
 *     report_free(&r);
 */
#pragma once

#include "answer/advise.h"
#include "answer/diff.h"
#include "answer/answers.h"
#include "answer/window.h"
#include "base/number.h"
#include "picture/drawn.h"
#include "picture/report.h"

#include <stdio.h>

#include <stdatomic.h>

enum report_windows {           /* the windows that a report_part (below) is about, and what its command begins with */
	REPORT_WHOLE,           /* the default of the tool: the command names no windows */
	REPORT_EACH_PROCESS,    /* nsq-setup | ... */
	REPORT_TYPICAL_STEP,    /* nsq-window --steady --period | ...: of each process the step that nsq-window picks */
	REPORT_STEADY,          /* nsq-window --steady --pick all --period | ...: the steady steps (step/steady.h) */
	REPORT_DRAWN,           /* ... -w STEP, with the typical step that is drawn */
	REPORT_BESIDE           /* ... -w STEP, with the step that the drawn one is compared with */
};

enum { REPORT_MIN_PCT = 2 };    /* findings worth less than this percentage of a step are left out */

typedef struct report report;

typedef struct {
	const char *trace;      /* its path */
	int64_t pid;            /* pid and sub (trace_proc), which tells processes with the same pid apart, as one
				 * number, as in the cells of tables (TABLE_SUBS) */
} report_process;

typedef struct {                /* a block of the template, its command and its table */
	const char *block;      /* the text of the template, from the block's command on */
	const char *name;       /* its table is tables/NAME.csv */
	const answer *of;       /* the answer of the last tool of the command */
	void *params;           /* the parameters of that tool; report_free frees them */
	enum report_windows windows;
	bool merge;             /* does the last tool of the command have --merge? */
	int64_t limit;          /* keep this many rows of each window; 0: all */
	question q;             /* what the answer needs of the current trace */
	bool fits;              /* can the current trace answer the question? */

	table rows;             /* the answer for all traces */
	bool there;             /* could some trace answer the question?  Only then is the table written */
	const char *lacks;      /* why a trace could not answer the question; NULL: all could */
} report_part;

struct report {
	const report_params *p;
	vec(const char *) traces;       /* the paths of the traces, without those that were left out */
	vec(report_part) parts; /* the parts, in the order of the template */
	table *typical;         /* the typical step of each process: the rows of the part typical_step */
	bool tiled;             /* does each typical step reach to the start of the step after it?  True until the
				 * steps are chosen */
	table untiled;          /* the steps of traces in which no step has another one after it; `typical` gets them
				 * if it would be empty */
	size_t drawn;           /* the row of `typical` that is drawn, the longest step; SIZE_MAX: none */
	size_t beside;          /* the row of `typical` that is drawn below `drawn`, for comparison
				 * (report_find_comparison_step); SIZE_MAX: none */
	vec(report_process) lost;       /* the processes that lost events */
	window_step_summaries *summaries;       /* what counts as a step in each trace, for the notes at the end */
	window_step_summaries *unsaid_summaries;        /* the same, from parts whose notes would repeat these; never
							 * written */
	nccl_job *collectives;  /* what the parts of nsq-nccl without --stragglers collect from all traces */
	nccl_job *stragglers;   /* what nsq-nccl --stragglers collects from all traces */
	advise_job *advice;     /* what the parts of nsq-advise collect from all traces */
	arrivals *ranks;        /* when the last rank arrived at each communication kernel, from all traces */
	arrivals *alone;        /* the same from one trace, if it is the only one; for nsq-ledger about drawn steps */
	shared_gpus *across;    /* which processes of all traces share a GPU */
	atomic_size_t done;     /* how many units of work are done so far, for `progress` (report.c) */
	size_t units;           /* how many units of work there are in all */
	view_page *page;        /* the page of nsq-view; NULL: none */
	marked *marks;          /* the marks on that page */
	one_clock *clock;       /* the clock of that page */
	vec(int64_t) ahead;     /* for each trace: how far the clock of that page is ahead of the trace's clock, ns */
	notes said;             /* the notes of the answers, each line once */
	str_pool lines;         /* the texts of `said` */
	const char *operands;   /* all traces as words of a command line; NULL: not made yet */
	bool page_only;         /* is the Markdown made only for the HTML page, which has pictures and links to files
				 * beside it? */
	arena texts;
};

/* Begin a report without traces.  p must outlive it. */
report report_begin(const report_params *p);
void report_free(report *r);

/* Find the part with this name, which the template must have. */
report_part *report_part_of(const report *r, const char *name);

/* The table of the part with this name. */
static inline const table *report_rows(const report *r, const char *name)
{
	return &report_part_of(r, name)->rows;
}

/* The text after "KEY: " in a block of the template, or NULL. */
const char *report_setting(report *r, const report_part *part, const char *key);

/* The command that prints the table of a part. */
const char *report_command(report *r, const report_part *part);

/* The command of nsq-report itself. */
const char *report_own_command(report *r);

/* Shorten the paths in a text or command, for readers on other machines.  The path of the report's folder becomes its
 * base name.  The paths of traces become their base names, unless two traces have the same one. */
const char *report_shorten(report *r, const char *text);

/* Is a row about this trace?  path: the path of the trace; NULL: any trace. */
bool report_is_of_trace(const table *t, size_t row, const char *path);

/* Are row i of a and row k of b about the same window of the same process?  Their GPUs may differ. */
bool report_same_window(const table *a, size_t i, const table *b, size_t k);

/* Is a step steady, so that findings are about it?  step: its row in the part `every_step`.  True also if the part
 * `steps` has no row for the step's process.  *process: the row of the part `steps` that the previous call found; 0 at
 * first. */
bool report_is_steady(const report *r, size_t step, size_t *process);

/* Were steps found in the trace?  path: its path; NULL: in any trace.  If not, the rows of `typical` are about whole
 * processes. */
bool report_has_steps(const report *r, const char *path);

/* Say why `typical` has no rows, not even about whole processes. */
const char *report_why_no_steps(report *r);

/* Find the row of `typical` with the longest step of a trace, preferably of a process that lost no events; SIZE_MAX:
 * there is none.  path: the path of the trace; NULL: all traces. */
size_t report_find_longest_step(const report *r, const char *path);

/* Find the row of `typical` with the step to compare with the one in `row`; SIZE_MAX: there is none.  If a finding
 * calls a rank late, this is the step of the first such rank, unless that step is in `row`.  Otherwise, it is a step of
 * median length.  The median is taken over the other steps that were found by the same rule and whose processes, like
 * that of `row`, lost events or lost none. */
size_t report_find_comparison_step(const report *r, size_t row);

/* Say which step the one in r->beside is: "late" or "of middle length". */
const char *report_describe_beside(const report *r);

/* The files of share/report, compiled in, for text_find_builtin: "page" and "template". */
extern const char *const report_builtin[];

/* ---- filling in the template gives the page in Markdown.  A line with a {{word}} is filled in by the function for
 * this word (report_words.c).  A block is replaced by the table of the command with which it begins (report_table.c).
 * A section is a heading and the text below it.  It is dropped if no word and no block writes anything in it.  Lines of
 * HTML, which begin and end folds (<details>), are always kept. */

void report_md(report *r, FILE *to);

/* Write the page of HTML, converted from the first n bytes of the Markdown `md`, with pictures. */
void report_html(report *r, const char *md, size_t n, FILE *to);

/* ---- the texts that fill the template */

/* Write the text for a {{word}}.  name: the word, n bytes long.  False: there is no such word. */
bool report_write_word(report *r, const char *name, size_t n, FILE *to);

/* Write a text and a command in a fold (md_write_fold).  The command is shortened (report_shorten). */
void report_write_folded(report *r, const char *indent, const char *text, const char *command, FILE *to);

/* Write the table of a block, the mark of its picture (REPORT_MARK), and its command in a fold.  Writes nothing if
 * there is nothing to show. */
void report_write_table(report *r, report_part *part, FILE *to);

/* The meaning of an owner (a word of nsq-gaps and nsq-ledger); NULL: it is no owner. */
const char *report_meaning(const char *word);

/* Say why there are no findings. */
const char *report_why_no_findings(report *r);

/* Do the processes differ, so that the page shows a table of them? */
bool report_processes_differ(report *r);

/* The process of a row in words: "rank 2", "process 4711" or "all processes". */
const char *report_describe_process(report *r, const table *t, size_t row);

/* Write what report_describe_process returns, as Markdown.  If there are several traces and the row has no rank, also
 * write the trace. */
void report_write_process(report *r, const table *t, size_t row, FILE *to);

/* ---- pictures */

/* Is a row about the step that is drawn, and about the first GPU of its process? */
bool report_is_drawn(const report *r, const table *t, size_t row);

/* The beginning of the mark of a picture.  A mark is invisible in Markdown; the page of HTML has the picture
 * instead. */
#define REPORT_MARK "<!-- picture "

/* Draw the picture of a part as SVG.  False: there was nothing to draw. */
bool report_draw(report *r, const report_part *part, FILE *to);

/* ---- Markdown in which names stay names, whatever characters they hold */

/* Write a text so that no character of it has a meaning in Markdown.  Unprintable characters become \xNN, so the
 * text stays on its line.  md_textf: the text is made as by printf. */
void md_text(FILE *to, const char *s);
void md_textf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Write a name as code, without its middle if it is long.  in_table: it is in a cell of a table. */
void md_name(FILE *to, const char *s, bool in_table);

/* A time with three significant figures and its unit. */
#define MD_TIME(ns) number_amount((double)(ns), "ns", (char[NUMBER_AMOUNT_SIZE]){ 0 })

/* Write a fold, which hides a text of Markdown and n commands.  Only the names of the commands' tools stay visible.
 * Each line begins with the indent, for use inside a list. */
void md_write_fold(FILE *to, const char *indent, const char *text, const char *const *commands, size_t n);

/* ---- the folder */

/* May the folder be written?  replace: it may hold a report, which is then replaced.  False after a problem. */
bool report_may_write(const char *folder, bool replace, notes *say);

/* Write all files of the report.  After a problem, returns false and leaves nothing in the folder. */
bool report_write(report *r, const char *folder, notes *say);
