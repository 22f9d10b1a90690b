/*
 * report_parts - declarations for lib/picture/report*.c alone: the tables of a report, which come from the commands in
 * its template, the filling in of the template, and the folder.
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

enum report_windows {           /* the windows of a part, and how its command chooses them */
	REPORT_WHOLE,           /* the default of the tool */
	REPORT_EACH_PROCESS,    /* nsq-setup | ... */
	REPORT_TYPICAL_STEP,    /* nsq-window --steady --period | ... */
	REPORT_STEADY,          /* nsq-window --steady --pick all --period | ... */
	REPORT_DRAWN,           /* ... -w STEP: the typical step that is drawn */
	REPORT_BESIDE           /* ... -w STEP: the step that the drawn one is compared with */
};

enum { REPORT_MIN_PCT = 2 };    /* findings worth less than this percentage of a step are left out */

typedef struct report report;

typedef struct {
	const char *trace;
	int64_t pid;            /* pid and sub, coded as in a cell of a table */
} report_process;

typedef struct {
	const char *block;      /* the block of the template, from its command on */
	const char *name;       /* its table is tables/NAME.csv */
	const answer *of;       /* the answer of the last tool of the command */
	void *params;           /* the parameters of that tool */
	enum report_windows windows;
	bool merge;
	int64_t limit;          /* keep this many rows of each window; 0: all */
	question q;             /* the question to the current trace */
	bool fits;              /* can the current trace answer? */

	table rows;
	bool there;             /* could some trace answer? */
	const char *lacks;      /* why a trace could not answer; NULL: all could */
} report_part;

struct report {
	const report_params *p;
	vec(const char *) traces;       /* the traces that have a part in the report */
	vec(report_part) parts; /* in the order of the template */
	table *typical;         /* the typical step of each process: the rows of the part typical_step */
	bool tiled;             /* does each typical step reach to the start of the next step?  Taken to be true until
				 * the steps are chosen */
	table untiled;          /* the steps of traces in which no step follows another */
	size_t drawn;           /* the row of `typical` that is drawn, the longest; SIZE_MAX: none */
	size_t beside;          /* the row of `typical` drawn below that one, for comparison (report_beside); SIZE_MAX:
				 * none */
	vec(report_process) lost;       /* the processes that lost events */
	window_taken_list *taken, *taken_twice;     /* what counts as a step in each trace.  taken: for the notes at the
						     * end; taken_twice: from parts whose notes would repeat these,
						     * never written */
	nccl_job *collectives, *stragglers;     /* what the parts of nsq-nccl collect, until all traces have been
						 * added */
	advise_job *advice;
	arrivals *ranks, *alone;        /* ranks: the arrivals in all traces; alone: those in the trace, if there is
					 * only one */
	shared_gpus *across;    /* the GPUs of the processes of all traces */
	atomic_size_t done;     /* the steps of work done so far, for `progress` */
	size_t steps;           /* the steps of work in all (report.c) */
	view_page *page;        /* the page of nsq-view; NULL: none */
	marked *marks;          /* the marks on that page */
	one_clock *clock;       /* the clock of that page */
	vec(int64_t) ahead;     /* by trace: how far the clock of the page is ahead of the trace's, ns */
	notes said;             /* the notes of the answers, each line once */
	str_pool lines;         /* the lines of `said` */
	const char *operands;   /* all traces as words of a command; NULL: not written yet */
	bool page_only;         /* is the Markdown only for the HTML page, which links to the files beside it? */
	arena texts;
};

/* A report without traces. */
report report_begin(const report_params *p);
void report_free(report *r);

/* The part with this name; the template must have it. */
report_part *report_part_of(const report *r, const char *name);
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

/* A text or command for readers on other machines: the path of the report becomes a base name, and so do the paths of
 * traces unless two have the same one. */
const char *report_short(report *r, const char *text);

/* Is a row about this trace?  of NULL: every row is. */
bool report_is_of(const table *t, size_t row, const char *of);

/* Are two rows about the same window of the same process, on any GPU? */
bool report_same_window(const table *a, size_t i, const table *b, size_t k);

/* Is this step of the part every_step a steady one?  Findings are about steady steps.  True if the part steps has no
 * row for its process.  *process: the row of the part steps that the previous call found; 0 at first. */
bool report_is_steady(const report *r, size_t step, size_t *process);

/* Were steps found in the trace (NULL: in any)?  If not, the typical steps are whole processes.  report_no_steps says
 * why there are not even these. */
bool report_has_steps(const report *r, const char *of);
const char *report_no_steps(report *r);

/* The longest typical step of a trace (NULL: of all traces), preferably of a process that lost no events; SIZE_MAX:
 * there is none. */
size_t report_longest(const report *r, const char *of);

/* The typical step to compare with that of the row: the step of the first rank that a finding calls late or, if there
 * is none or it is this step itself, the step of median length among similar processes; SIZE_MAX: there is none.
 * report_beside_is says which: "late" or "of middle length". */
size_t report_beside(const report *r, size_t row);
const char *report_beside_is(const report *r);

/* The files of share/report, compiled in: "page" and "template". */
extern const char *const report_builtin[];

/* ---- filling in the template gives the page in Markdown.  A line with a {{word}} is filled in by the function for
 * this word (report_words.c).  A block is replaced by the table of the command with which it begins (report_table.c).
 * Empty lines and blocks are dropped, with the headings above them. */

void report_md(report *r, FILE *to);

/* Write the page: the Markdown as HTML, with pictures. */
void report_html(report *r, const char *md, size_t n, FILE *to);

/* ---- the texts that fill the template */

/* Write the text of a {{word}}; false: there is no such word. */
bool report_write_word(report *r, const char *name, size_t n, FILE *to);

/* Write a text and a command in a fold (md_fold), the command for readers on other machines (report_short). */
void report_write_folded(report *r, const char *indent, const char *text, const char *command, FILE *to);

/* Write the table of a block, the mark of its picture, and its command.  Writes nothing if there is nothing to show. */
void report_write_table(report *r, report_part *part, FILE *to);

/* The meaning of a word of nsq-gaps or nsq-ledger, or NULL. */
const char *report_meaning(const char *word);

/* Why there are no findings. */
const char *report_no_findings(report *r);

/* Do processes differ, so that there is a table of them? */
bool report_differ(report *r);

/* The process of a row: "rank 2", "process 4711" or "all processes".  report_who writes it as Markdown, with the trace
 * if there are several traces and the row has no rank. */
const char *report_label(report *r, const table *t, size_t row);
void report_who(report *r, const table *t, size_t row, FILE *to);

/* ---- pictures */

/* Is a row about the step that is drawn? */
bool report_is_drawn(const report *r, const table *t, size_t row);

/* The mark of a picture: invisible in Markdown, replaced by the picture in HTML. */
#define REPORT_MARK "<!-- picture "

/* Draw the picture of a part as SVG.  False: there is nothing to draw. */
bool report_draw(report *r, const report_part *part, FILE *to);

/* ---- Markdown in which names stay names, whatever characters they hold */

/* Write a text so that nothing in it has a meaning in Markdown.  Unprintable characters become \xNN, so that it stays
 * on its line. */
void md_text(FILE *to, const char *s);
void md_textf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Write a name as code, without its middle if it is long. */
void md_name(FILE *to, const char *s, bool in_table);

/* A time with three significant figures and its unit. */
#define MD_TIME(ns) number_amount((double)(ns), "ns", (char[NUMBER_AMOUNT_SIZE]){ 0 })

/* Write a fold, which hides a text of Markdown and commands; only the names of the tools in the commands stay visible.
 * Each line begins with the indent, for use inside a list. */
void md_fold(FILE *to, const char *indent, const char *text, const char *const *commands, size_t n);

/* ---- the folder */

/* May the folder be written?  False after a problem. */
bool report_may_write(const char *folder, bool replace, notes *say);

/* Write all files.  False after a problem; then nothing is left in the folder. */
bool report_write(report *r, const char *folder, notes *say);
