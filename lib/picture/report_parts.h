/*
 * report_parts - what the files of a report share: its tables, which are those of the commands that its template names,
 * how each is asked for, the template filled in, and the folder.  For lib/picture/report*.c alone.
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

enum report_windows {
	REPORT_WHOLE,           /* the default of the tool */
	REPORT_EACH_PROCESS,    /* nsq-setup | ... */
	REPORT_TYPICAL_STEP,    /* nsq-window --steady --period | ... */
	REPORT_STEADY,          /* nsq-window --steady --pick all --period | ... */
	REPORT_DRAWN,           /* ... -w STEP: the typical step that is drawn, */
	REPORT_BESIDE           /* and the one beside it */
};

enum { REPORT_MIN_PCT = 2 };    /* findings worth less of a step are left out */

typedef struct report report;

typedef struct {
	const char *trace;
	int64_t pid;            /* the cell of it */
} report_process;

typedef struct {
	const char *block;      /* of the template, from its command on */
	const char *name;       /* of its table: tables/NAME.csv */
	const answer *of;       /* what the last tool of the command answers, */
	void *params;           /* and its parameters */
	enum report_windows windows;
	bool merge;
	int64_t limit;          /* keep this many rows of each window; 0: all */
	question q;             /* of the trace that is looked at; */
	bool fits;              /* which can answer it */

	table rows;
	bool there;             /* could some trace answer? */
	const char *lacks;      /* why a trace could not; NULL: all could */
} report_part;

struct report {
	const report_params *p;
	vec(const char *) traces;       /* that have a part in it */
	vec(report_part) parts; /* in the order of the template */
	table *typical;         /* the typical step of each process: the rows of a part; */
	bool tiled;             /* it reaches to the next one, as far as is known */
	table untiled;          /* the steps of traces in which none follows another */
	size_t drawn;           /* which of them is drawn, the longest; SIZE_MAX: none, */
	size_t beside;          /* and the one beside it (report_beside); SIZE_MAX: there is none */
	vec(report_process) lost;       /* events */
	window_takens *taken, *taken_twice;     /* what is a step in each trace, until it is said once */
	nccl_job *collectives, *stragglers;     /* what these keep until all traces have been added */
	advise_job *advice;
	arrivals *ranks, *alone;        /* of all traces, and of one if there is only one, */
	shared_gpus *across;    /* and the GPUs of their processes */
	atomic_size_t done;     /* how much of it all is, as progress tells, */
	size_t steps;           /* and how much that will be (report.c) */
	view_page *page;        /* of nsq-view; NULL: none, */
	marked *marks;          /* what is marked there, */
	one_clock *clock;       /* and its clock, on which each trace */
	vec(int64_t) ahead;     /* is so much later */
	notes said;             /* what the answers said, each line once, */
	str_pool lines;         /* and the lines */
	const char *operands;   /* all traces in a command; NULL: not written yet */
	bool page_only;         /* is the Markdown for the page, beside which the files are that it links to? */
	arena texts;
};

/* A report without traces. */
report report_begin(const report_params *p);
void report_free(report *r);

/* The part with this name, which the template has. */
report_part *report_part_of(const report *r, const char *name);
static inline const table *report_rows(const report *r, const char *name)
{
	return &report_part_of(r, name)->rows;
}

/* What a block of the template says after "KEY: ", or NULL. */
const char *report_setting(report *r, const report_part *part, const char *key);

/* The command whose table it is. */
const char *report_command(report *r, const report_part *part);

/* The command of nsq-report itself. */
const char *report_own_command(report *r);

/* A text or command for readers elsewhere: paths of traces and of the report are base names, unless two traces have the
 * same one. */
const char *report_short(report *r, const char *text);

/* Is a row about this trace?  NULL: any. */
bool report_is_of(const table *t, size_t row, const char *of);

/* Are two rows about the same window of the same process, whatever the GPU? */
bool report_same_window(const table *a, size_t i, const table *b, size_t k);

/* Is a step, of those of every_step, one of the steady ones, which findings are about?  *process is where that of
 * the step before was found, 0 at first. */
bool report_is_steady(const report *r, size_t step, size_t *process);

/* Were steps found, so that the typical steps of the trace (NULL: of all) are not processes as a whole?  Why there are
 * none, not even these. */
bool report_has_steps(const report *r, const char *of);
const char *report_no_steps(report *r);

/* The longest of the typical steps of a trace (NULL: of all), of processes that lost no events if there are such;
 * SIZE_MAX: there is none. */
size_t report_longest(const report *r, const char *of);

/* The typical step to look at beside that of the row: that of a late rank or, if no other rank is late, that of middle
 * length of the other processes that are like it; SIZE_MAX: there is none.  What it is: "late", "of middle length". */
size_t report_beside(const report *r, size_t row);
const char *report_beside_is(const report *r);

/* The files of share/report, compiled in: "page" and "template". */
extern const char *const report_builtin[];

/* ---- the template, filled in: its page in Markdown.  A line with a {{word}} is filled in by the function of that name
 * (report_words.c), a block with the table of the command that it begins with (report_table.c).  What both leave empty
 * is dropped, with the headings above it. */

void report_md(report *r, FILE *to);

/* The page: that Markdown as HTML, with pictures. */
void report_html(report *r, const char *md, size_t n, FILE *to);

/* ---- what it is filled in with */

/* The words for a name; false: there is no such name. */
bool report_say(report *r, const char *name, size_t n, FILE *to);

/* A command that is folded away (md_fold), for readers elsewhere. */
void report_fold(report *r, const char *indent, const char *text, const char *command, FILE *to);

/* The table of a block, the mark of its picture, and its command.  Nothing, if there is nothing to show. */
void report_show(report *r, report_part *part, FILE *to);

/* What a word of nsq-gaps or nsq-ledger means, or NULL. */
const char *report_meaning(const char *word);

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

/* ---- Markdown in which names, whatever they hold, are names */

/* What is not printable becomes \xNN, so that a text stays on its line. */
void md_text(FILE *to, const char *s);          /* means nothing but itself */
void md_textf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As code, without its middle if it is long. */
void md_name(FILE *to, const char *s, bool in_table);

/* A time with three significant figures and its unit. */
#define MD_TIME(ns) number_amount((double)(ns), "ns", (char[NUMBER_AMOUNT_SIZE]){ 0 })

/* A command that is folded away; before it the text, which is Markdown.  Each line begins with the indent, that of a
 * list. */
void md_fold(FILE *to, const char *indent, const char *text, const char *const *commands, size_t n);

/* ---- the folder */

/* May the folder be written?  False after a problem. */
bool report_may_write(const char *folder, bool replace, notes *say);

/* Write all files.  False after a problem, and nothing is left. */
bool report_write(report *r, const char *folder, notes *say);
