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
 * Rows are written as soon as all traces before theirs are done.
 */
#pragma once

#include "base/text.h"
#include "map/results.h"
#include "table/format.h"

/* ---- the parameters of nsq-map */

enum { MAP_HERE = 1, MAP_SLURM = 2 };

typedef struct {
	unsigned mode;          /* MAP_... */
	int64_t at_once;        /* traces that run at once, here or in a task of Slurm; 0: one for each core */
	const char *from;       /* a file that lists the traces, - for standard input; or NULL */
	bool nul;               /* the list is separated by NULs instead of line ends */
	const char *keep;       /* the folder of the results; NULL: a temporary one in the cache */
	bool resume;            /* skip traces that an earlier run has done */
	enum format format;
	bool human;

	/* for Slurm */
	text_list sbatch;       /* more options of sbatch */
	int64_t chunk_bytes;    /* the approximate size of all traces of a task together */

	const char *pipeline;
	text_list traces;
	char *list;             /* the text of the list, in which the names of the traces are */

	notes *say;
	void (*show)(notes *say);       /* show the notes to the user, and empty the list */
	void (*progress)(const char *doing, size_t done, size_t of);
	void (*pause)(bool on);         /* hide progress while rows are written to the terminal */
} map_params;

/* Take the pipeline and the traces that follow it or that the list names; without either, standard input is the list.
 * False after a problem. */
bool map_params_take(map_params *p, const text_list *operands, notes *say);

/* ---- the pipeline (pipeline.c): a command line with {} in it, which a shell runs for one file after the other.  The
 * path is the first parameter of the shell, which never parses it, whatever characters it holds. */

typedef struct {
	const char *shell;      /* bash; sh if there is no bash */
	const char *text;       /* the command line that the shell runs */
	arena texts;
} pipeline;

/* False after a problem: there is no {}, it stands where no parameter can, or the shell cannot parse the pipeline. */
bool pipeline_read(pipeline *p, const char *given, notes *say);

/* Start the pipeline for a file.  Returns 0, or an errno value.  Its exit code will be the largest of all its parts; in
 * sh, that of the last part. */
int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid);

/* ---- the tables of many traces under one header, and a list of failures (gather.c).  The columns are those of the
 * first table.  Output with other columns, or that is no table, is listed as a failure instead of printed.  A table
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
	vec(note) failures;             /* one for each failed trace */
	arena texts;
} gather;

/* Print the table of a result, and pass on its messages. */
void gather_result(gather *g, const result *r, notes *say);

/* Record that a trace has no result. */
void gather_add_failure(gather *g, const result *r);

/* List the failures, each with its exit code. */
void gather_failures(gather *g, notes *say);

void gather_free(gather *g);

/* ---- the run */

typedef struct {
	const map_params *p;
	pipeline command;
	results all;
	size_t next;            /* the first trace whose rows are not written */
	size_t done;            /* the number of traces that are done */
	gather out;
	sigset_t ending, before;        /* the signals that are blocked, and the mask before that */
	int stopped;              /* the signal that asked the program to end, or 0 */
	bool refused;           /* nothing could be run, and a problem says why */
	arena texts;
} map_ctx;

/* Read the pipeline, and open the folder of the results.  False after a problem. */
bool mapping_begin(map_ctx *m, const map_params *p, format_writer *to, notes *say);

/* Run the pipeline on all traces, and print their tables.  It ends early if the reader of the table has left.  If rows
 * could not be written, errno says why. */
void mapping_run(map_ctx *m);
void mapping_end(map_ctx *m);

/* Write the rows that are ready; here_run and slurm_run call it.  False: nobody reads the table any more. */
bool mapping_write(map_ctx *m);

/* Wait at most `ms` milliseconds for SIGCHLD or another blocked signal.  False: a signal asks the program to end. */
bool mapping_wait(map_ctx *m, int64_t ms);

/* Run the pipeline on this machine, on p->at_once traces at a time, and set m->all.v[i].done.  The usable cores are
 * divided among the running pipelines; a tool uses as many threads as it has cores. */
void here_run(map_ctx *m);

/* Run the pipeline as a job array of Slurm.  A task runs this program on a node, for some of the traces and with the
 * same folder of results, so the machines need to share only this folder and the traces.  The folder shows which traces
 * are done; Slurm tells only whether the array is over.  Traces that have no result then, because their node was lost,
 * are submitted once more. */
void slurm_run(map_ctx *m);
