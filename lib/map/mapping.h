/*
 * mapping - runs a pipeline on many traces, here or on the nodes of a cluster, and joins the tables.
 *
 *     notes say = { 0 };
 *     format_writer w = { .to = stdout, .format = FORMAT_TSV };
 *     map_params p = { .mode = MAP_HERE, .pipeline = "nsq-window {} | nsq-overlap", .at_once = 16, .say = &say,
 *             .show = show, .progress = progress, .pause = pause_it };
 *     map_ctx m = { 0 };
 *     vec_push(&p.traces, "run.sqlite");
 *     if (mapping_begin(&m, &p, &w, &say)) {     // from now on signals that end a program are held back
 *         mapping_run(&m);
 *         format_end(&w, &m.out.columns);
 *     }
 *     mapping_end(&m);                           // a signal that came ends the program here
 *
 * The rows of a trace are written as soon as this trace and all traces before it are done.
 */
#pragma once

#include "base/text.h"
#include "map/results.h"
#include "table/format.h"

/* ---- the parameters of nsq-map */

enum { MAP_HERE = 1, MAP_SLURM = 2 };

typedef struct {
	unsigned mode;          /* MAP_HERE: on this machine; MAP_SLURM: on the nodes of a cluster */
	int64_t at_once;        /* how many traces are worked on at the same time, on this machine or in a task of
				 * Slurm; 0: one for each core */
	const char *from;       /* a file that lists the traces; "-": standard input; NULL: the command line names the
				 * traces or, if it names none, standard input lists them */
	bool nul;               /* each name in the list ends with a NUL instead of a newline */
	const char *keep;       /* the folder of the results; NULL: a temporary one in the cache */
	bool resume;            /* skip traces for which an earlier run succeeded, if they have not changed since */
	enum format format;
	bool human;             /* write times and bytes with a unit */

	/* for Slurm */
	text_list sbatch;       /* more options for sbatch */
	int64_t chunk_bytes;    /* about how many bytes the traces of one task have together */

	const char *pipeline;   /* the command line, with {} for the path of a trace */
	text_list traces;
	char *list;             /* the content of the file `from` or of standard input; `traces` points into it; or
				 * NULL */

	notes *say;
	void (*show)(notes *say);       /* show the notes to the user, and empty the list */
	void (*progress)(const char *doing, size_t done, size_t all);  /* show that `done` of `all` traces are done */
	void (*pause)(bool on);         /* true: hide progress, because rows will be written; false: show it again */
} map_params;

/* Set p->pipeline to the first operand, and p->traces to the other operands.  If there are none, read the names of the
 * traces from the file p->from or from standard input.  False after a problem. */
bool map_params_read_operands(map_params *p, const text_list *operands, notes *say);

/* ---- the pipeline (pipeline.c): a command line with {} in it, which a shell runs once for each trace.  The path of
 * the trace, for which {} stands, is the first parameter of the shell.  The shell never parses the path, whatever
 * characters it holds. */

typedef struct {
	const char *shell;      /* bash; sh if there is no bash */
	const char *text;       /* the command line that the shell runs: the given one, with the parameter of the shell
				 * in place of each {} */
	arena texts;
} pipeline;

/* Make the pipeline from the given command line.  False after a problem: there is no {}, a {} stands where the shell
 * expands no parameter, or the shell cannot parse the pipeline. */
bool pipeline_read(pipeline *p, const char *given, notes *say);

/* Start the pipeline for a trace.  Returns 0, or an errno value if the shell cannot be started.  Bash will exit with
 * the largest exit code among the commands that the last | joins, such as a, b and c in "x; a | b | c" (LARGEST_CODE in
 * pipeline.c), and sh with the exit code of its last command. */
int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid);

/* ---- the tables of many traces under one header, and a list of failures (gather.c).  The columns are those of the
 * first table.  Output that has other columns or is no table is listed as a failure instead of printed.  A table
 * without a column `trace` gets one. */

typedef struct {
	size_t n;               /* how many traces are counted */
	const char *first;      /* the path of the first of them; NULL: none */
} gather_count;

typedef struct {
	format_writer *to;      /* prints the rows */
	table columns;          /* the columns of the first table */
	const char *first;      /* the path of the trace with the first table; NULL: no table yet */
	int reason;             /* an errno value, if rows could not be written; otherwise 0 */
	size_t failed;          /* the number of traces that failed */
	gather_count empty;     /* traces whose pipeline succeeded and printed nothing */
	gather_count rowless;   /* traces whose pipeline succeeded and printed a table without rows */
	vec(note) failures;     /* one or two for each failed trace: it has no result, its pipeline failed, or its table
				 * is wrong */
	arena texts;
} gather;

/* Print the table of a result, pass on its messages, and record what failed. */
void gather_result(gather *g, const result *r, notes *say);

/* Record that a trace has no result. */
void gather_note_missing_result(gather *g, const result *r);

/* Pass on the first failures and the number of the others, and say how many traces printed nothing or no rows. */
void gather_pass_on_failures(gather *g, notes *say);

void gather_free(gather *g);

/* ---- the run */

typedef struct {
	const map_params *p;
	pipeline command;
	results all;            /* a result for each trace, done or not */
	size_t next;            /* the index of the first trace whose rows are not written yet */
	size_t done;            /* the number of traces that are done, by this run or an earlier one */
	gather out;
	sigset_t ending;        /* the signals for which mapping_wait waits: SIGCHLD and those that end a program; all
				 * are blocked */
	sigset_t before;        /* the signals that were blocked before mapping_begin */
	int stopped;            /* the signal that asked the program to end, or 0 */
	bool refused;           /* nothing could be run, and a problem says why */
	arena texts;
} map_ctx;

/* Block SIGCHLD and the signals that end a program, read the pipeline, open the folder of the results, and add the
 * traces.  False after a problem; mapping_end is needed even then. */
bool mapping_begin(map_ctx *m, const map_params *p, format_writer *to, notes *say);

/* Run the pipeline on all traces, and print their tables.  After a signal that asks the program to end, it returns
 * early.  If the reader of the table has left, SIGPIPE ends the program here.  Sets errno to the reason why rows could
 * not be written; 0: they were. */
void mapping_run(map_ctx *m);

/* Free everything, and unblock the signals.  A signal that has come meanwhile ends the program now. */
void mapping_end(map_ctx *m);

/* Write the rows of all traces that are done, up to the first trace that is not.  here_run and slurm_run call it.
 * False: rows could not be written (m->out.reason). */
bool mapping_write(map_ctx *m);

/* Wait at most `ms` milliseconds for one of the signals in m->ending.  False: a signal other than SIGCHLD has come, in
 * this call or an earlier one. */
bool mapping_wait(map_ctx *m, int64_t ms);

/* Run the pipeline on this machine, on m->p->at_once traces at a time, and set m->all.v[i].done.  The usable cores are
 * divided among the running pipelines, because a tool uses as many threads as it has cores.  After a signal that asks
 * the program to end, or if rows cannot be written, running pipelines are ended and no more are started. */
void here_run(map_ctx *m);

/* Run the pipeline as a job array of Slurm.  A task of the array runs this program on a node, for some of the traces
 * and with the same folder of results, so the machines need to share only this folder and the traces.  This program
 * learns from the folder which traces are done, and from Slurm only whether the array is over.  Traces that have no
 * result when it is over, because their node was lost, are submitted once more. */
void slurm_run(map_ctx *m);
