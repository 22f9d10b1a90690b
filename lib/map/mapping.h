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
 * The rows of a trace are written as soon as it and all traces before it are done.
 */
#pragma once

#include "base/text.h"
#include "map/results.h"
#include "table/format.h"

/* ---- the parameters of nsq-map */

enum { MAP_HERE = 1, MAP_SLURM = 2 };

typedef struct {
	unsigned mode;          /* MAP_... */
	int64_t at_once;        /* how many traces are worked on at the same time, here or in a task of Slurm; 0: one
				 * for each core */
	const char *from;       /* a file that lists the traces, - for standard input; or NULL */
	bool nul;               /* each name in the list ends with a NUL instead of a newline */
	const char *keep;       /* the folder of the results; NULL: a temporary one in the cache */
	bool resume;            /* skip traces for which an earlier run succeeded, if they have not changed since */
	enum format format;
	bool human;

	/* for Slurm */
	text_list sbatch;       /* more options for sbatch */
	int64_t chunk_bytes;    /* the approximate size of all traces of a task together */

	const char *pipeline;
	text_list traces;
	char *list;             /* the text of the list; `traces` points into it */

	notes *say;
	void (*show)(notes *say);       /* show the notes to the user, and empty the list */
	void (*progress)(const char *doing, size_t done, size_t of);
	void (*pause)(bool on);         /* on: hide progress, because rows will be written; false: show it again */
} map_params;

/* Take the pipeline, which is the first operand, and the traces: the other operands or, without them, the names in the
 * list (`from`, or standard input).  False after a problem. */
bool map_params_take(map_params *p, const text_list *operands, notes *say);

/* ---- the pipeline (pipeline.c): a command line with {} in it, which a shell runs once for each file.  The path of the
 * file, for which {} stands, is the first parameter of the shell.  The shell never parses the path, whatever characters
 * it holds. */

typedef struct {
	const char *shell;      /* bash; sh if there is no bash */
	const char *text;       /* the command line that the shell runs */
	arena texts;
} pipeline;

/* False after a problem: there is no {}, a {} stands where the shell expands no parameter, or the shell cannot parse
 * the pipeline. */
bool pipeline_read(pipeline *p, const char *given, notes *say);

/* Start the pipeline for a file.  Returns 0, or an errno value.  Bash will exit with the largest exit code in its last
 * pipeline (LARGEST_CODE in pipeline.c), sh with that of the last command. */
int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid);

/* ---- the tables of many traces under one header, and a list of failures (gather.c).  The columns are those of the
 * first table.  Output that has other columns or is no table is listed as a failure instead of printed.  A table
 * without a column `trace` gets one. */

typedef struct {
	size_t n;
	const char *first;
} gather_count;                         /* how many traces, and which is the first */

typedef struct {
	format_writer *to;
	table columns;                  /* the columns of the first table */
	const char *first;              /* the trace of the first table; NULL: none yet */
	int reason;                     /* an errno value, if rows could not be written; otherwise 0 */
	size_t failed;                  /* the number of traces that failed */
	gather_count empty, rowless;    /* traces that printed nothing, or only a header */
	vec(note) failures;             /* for each failed trace: its exit code, what is wrong with its table, or
					 * both */
	arena texts;
} gather;

/* Print the table of a result, pass on its messages, and record its failures. */
void gather_result(gather *g, const result *r, notes *say);

/* Record that a trace has no result. */
void gather_add_failure(gather *g, const result *r);

/* Pass on the first failures and the number of the others, and say how many traces printed nothing or no rows. */
void gather_pass_on_failures(gather *g, notes *say);

void gather_free(gather *g);

/* ---- the run */

typedef struct {
	const map_params *p;
	pipeline command;
	results all;
	size_t next;            /* the first trace whose rows are not written */
	size_t done;            /* the number of traces that are done */
	gather out;
	sigset_t ending, before;        /* ending: the signals for which mapping_wait waits, all blocked; before: what
					 * was blocked before mapping_begin */
	int stopped;              /* the signal that asked the program to end, or 0 */
	bool refused;           /* nothing could be run, and a problem says why */
	arena texts;
} map_ctx;

/* Block SIGCHLD and the signals that end a program, read the pipeline, open the folder of the results, and add the
 * traces.  False after a problem; mapping_end is needed even then. */
bool mapping_begin(map_ctx *m, const map_params *p, format_writer *to, notes *say);

/* Run the pipeline on all traces, and print their tables.  After a signal that asks the program to end, it returns
 * early.  If the reader of the table has left, SIGPIPE ends the program here.  errno says why rows could not be
 * written; 0: they were. */
void mapping_run(map_ctx *m);

/* Free everything, and unblock the signals.  A signal that has come meanwhile ends the program now. */
void mapping_end(map_ctx *m);

/* Write the rows that are ready; here_run and slurm_run call it.  False: rows could not be written (m->out.reason). */
bool mapping_write(map_ctx *m);

/* Wait at most `ms` milliseconds for one of the signals in m->ending.  False: a signal other than SIGCHLD has come, now
 * or earlier. */
bool mapping_wait(map_ctx *m, int64_t ms);

/* Run the pipeline on this machine, on p->at_once traces at a time, and set m->all.v[i].done.  The usable cores are
 * divided among the running pipelines; a tool uses as many threads as it has cores. */
void here_run(map_ctx *m);

/* Run the pipeline as a job array of Slurm.  A task runs this program on a node, for some of the traces and with the
 * same folder of results, so the machines need to share only this folder and the traces.  The folder shows which traces
 * are done; Slurm tells only whether the array is over.  Traces that have no result when it is over, because their node
 * was lost, are submitted once more. */
void slurm_run(map_ctx *m);
