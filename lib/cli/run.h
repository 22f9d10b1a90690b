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

/* All tools, in the order in which people ask their questions; ended by NULL.  The build makes this list from
 * tools/nsq-*.c. */
extern const opt_tool *const tools_builtin[];

/* A tool by its name, with or without nsq-; NULL: there is none. */
const opt_tool *tools_find(const char *name);

/* The name of a tool without nsq-. */
const char *tools_short_name(const char *name);

int tools_run(const opt_tool *tool, int argc, char **argv);

/* Read a command, whose first word must be the name of a tool; exits on mistakes in the rest.  opt_tool.end
 * has freed what the parameters own, such as nccl_params.job, so the caller puts its own there. */
void tools_parse_command(const text_list *words, report_tool *to);

/* Run a tool that reads traces.  A trace that cannot be read or cannot answer is reported and skipped; returns the
 * largest exit code that occurred. */
int run_traces(const opt_tool *tool, void *params, int argc, char **argv);

/* Run a tool that reads tables.  Its operands are opt_tool.words words, then tables (FILE, NAME=FILE or -), and traces
 * if it takes them; without tables it reads standard input. */
int run_tables(const opt_tool *tool, void *params, int argc, char **argv);

/* ---- how every run begins and ends: its options, then the table on stdout */

/* Parse the command line and choose the format.  Exits after a mistake, after --help and --version, and after --columns
 * if the tool prints no table. */
opt_common tools_read_command_line(const opt_tool *tool, void *params, int argc, char **argv, format_writer *w);

/* A writer of tables in the chosen format, as wide as the terminal; exits if -H does not fit the other options. */
format_writer output_writer(const opt_common *c);

/* --columns: write the descriptions of the columns of a table instead of its rows. */
void output_columns(format_writer *w, const table *columns);

/* Write the remaining rows, and say how many rows -n left out and which columns did not fit. */
void output_end(format_writer *w, const table *t);

/* ---- the SQLite file of a trace that the command line names; a report is exported first */

/* The path of the SQLite file; NULL after a problem. */
const char *trace_file(const char *path, const report_how *how, arena *texts, notes *say);

/* The identity of the file from which a trace is read.  It is the same for all names of a file; a report has the
 * identity of its export, if there is one. */
typedef struct {
	const char *path;       /* as given */
	dev_t dev;
	ino_t ino;
	bool there;             /* was the file found? */
} trace_place;

trace_place trace_file_place(const char *path, const report_how *how);
bool trace_file_same(const trace_place *a, const trace_place *b);

/* ---- findings of nsq-advise as short paragraphs for a terminal of 80 columns (advice.c).  Print the first n rows (0:
 * all); returns how many that are.  params: advise_params, or for advice_print_report report_params. */
size_t advice_print(const void *params, const table *rows, size_t n, FILE *to);
size_t advice_print_report(const void *params, const table *rows, size_t n, FILE *to);
