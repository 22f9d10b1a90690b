/*
 * run - every tool of this program, and the run of one from its command line to its exit code: options, traces or
 * tables, one answer, one table.
 *
 *     for (const opt_tool *const *t = tools_builtin; *t; t++)
 *         printf("%s: %s\n", (*t)->name, (*t)->question);
 *     return tools_run(tools_find("gaps"), argc, argv);
 */
#pragma once

#include "cli/options.h"
#include "picture/report.h"

/* In the order in which people ask; ended by NULL.  The build makes the list of tools/nsq-*.c. */
extern const opt_tool *const tools_builtin[];

/* By its name, with or without nsq-; NULL: there is none. */
const opt_tool *tools_find(const char *name);

/* Its name without nsq-. */
const char *tools_short(const char *name);

int tools_run(const opt_tool *tool, int argc, char **argv);

/* Read a command by the options of its tool, its first word, for one who answers it elsewhere; exits on mistakes.  What
 * the tool would keep from trace to trace, such as a job, is not there: the caller has it. */
void tools_read(const text_list *words, report_tool *to);

/* A tool that reads traces.  One that cannot be read or cannot answer is reported and skipped; the exit code is the
 * largest that occurred. */
int run_traces(const opt_tool *tool, void *params, int argc, char **argv);

/* One that reads tables.  Its operands are words, as many as the tool says, then tables: FILE, NAME=FILE or -, and
 * traces if it takes them; without any, standard input. */
int run_tables(const opt_tool *tool, void *params, int argc, char **argv);

/* ---- how every run begins and ends: its options, then the table on stdout */

/* Parse the command line and choose the format.  Exits after a mistake, --help and --version. */
opt_common output_begin(const opt_tool *tool, void *params, int argc, char **argv, format_writer *w);

/* What writes the table, in the format asked for and as wide as a terminal; exits if they do not fit -H. */
format_writer output_writer(const opt_common *c);

/* --columns: write what the columns of a table are instead of its rows. */
void output_columns(format_writer *w, const table *columns);

/* Write what is left, and say how many rows -n left out. */
void output_end(format_writer *w, const table *t);

/* ---- the SQLite file of a trace that the command line names; a report is exported first */

/* NULL after a problem. */
const char *trace_file(const char *path, const report_how *how, arena *texts, notes *say);

/* The file that a trace is read from, so that it is recognised under another name: a report that has been exported
 * is its export. */
typedef struct {
	const char *path;       /* as it was given */
	dev_t dev;
	ino_t ino;
	bool there;
} trace_place;

trace_place trace_file_place(const char *path, const report_how *how);
bool trace_file_same(const trace_place *a, const trace_place *b);

/* ---- how nsq-advise tells its findings: as short paragraphs for a terminal of 80 columns (advice.c).  Of params that
 * are advise_params: the first n rows, or with 0 all; how many that are. */
size_t advice_print(const void *params, const table *rows, size_t n, FILE *to);
size_t advice_print_report(const void *params, const table *rows, size_t n, FILE *to);  /* those of nsq-report */
