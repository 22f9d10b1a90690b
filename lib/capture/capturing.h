/*
 * capturing - runs the profilers on a command, keeps what they caught and what was done, and looks at what was caught.
 *
 *     capture_params p = { .mode = 1, .folder = "cap" };
 *     vec_push(&p.command, "./train");
 *     int code = capturing_run(&p);              // that of ./train
 *     ... code ...                               // cap/nsys/run.sqlite, cap/manifest.json
 */
#pragma once

#include "capture/params.h"
#include "trace/load.h"

/* The exit code: that of the command; if that is 0, the one of what else failed. */
int capturing_run(const capture_params *p);

/* ---- the run of a trace once more, with what the trace lacks (again.c) */

/* With --again or --ncu-for: print the command, with a folder run it.  The exit code. */
int again_run(capture_params *p);

/* ---- kernels that matter, measured by ncu (measuring.c) */

typedef struct {
	const char *version;    /* of ncu; or NULL */
	const char *json;       /* what was measured and how; NULL: nothing */
	int wanted;              /* the signal that asked us to end; or 0 */
	arena texts;
} measured;

/* The kernels of a trace that take most time, as many as the parameters say, into FOLDER/ncu.  False after a
 * problem. */
bool measure_top(measured *to, const capture_params *p, const char *folder, const char *trace_file);

/* Those of the table that the parameters name, into their folder; without one print the command.  The exit code: that
 * of the command; if that is 0, the one of what else failed. */
int measure_table(capture_params *p);

/* ---- what a capture holds (caught.c) */

/* Write the steps A..B of a trace as a slice of it, in which nothing else is left out.  False after a problem. */
bool caught_steps(const char *trace, int threads, const char *steps, const char *to, notes *say);

/* Is A..B, or A, what caught_steps takes? */
bool caught_steps_fit(const char *steps);

/* Why nothing at all may have been captured; NULL: no option explains it. */
const char *caught_why_nothing(const capture_params *p, arena *to);

/* Say in one line each what is wrong with a trace, and how to capture a better one. */
void caught_check(const char *trace, int threads, const capture_params *p, notes *say);

/* What profilers print when they cannot do what they were asked, and what to do about it: for the first line of the
 * text that share/rules/trouble.tsv knows; NULL: for none. */
const char *trouble_advice(const char *text, arena *to);

/* ---- the folders of captures on the disk (captures.c).  Only files that a capture consists of are removed, by their
 * names, and never through a link. */

/* Is there a file or folder? */
bool captures_has(const char *path);

/* May a capture be written there?  False after a problem: the folder holds something that is no capture, or one that
 * may not be replaced. */
bool captures_may_write(const char *folder, bool replace, notes *say);

/* The same of what ncu measures, which a folder may hold without a capture. */
bool captures_may_measure(const char *folder, bool replace, notes *say);

/* Make a folder, and those above it that are missing.  False after a problem. */
bool captures_folder(const char *folder, notes *say);

/* Make the folder of a capture, if it may be written there now; one that may be replaced is removed.  False after a
 * problem. */
bool captures_make(const char *folder, bool replace, notes *say);

/* How much all files below a folder take. */
int64_t captures_bytes(const char *folder);

/* Remove all but the last n captures in a folder; below: where in each of its folders a capture is, such as /rank-0. */
void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say);

/* Compress the traces of all but the last n captures: run.sqlite becomes run.sqlite.gz. */
void captures_compress_all_but(const char *folder, const char *below, int64_t n, notes *say);

/* ---- a trace that was captured before, and the command that was run for it (earlier.c) */

typedef struct {
	trace *t;
	text_list command;      /* as the trace has it; none: it has none, as in a slice or by an old nsys */
	bool incomplete;        /* were words taken out of it?  ... is in their place */
	double delay_s;         /* how long after its start it was captured, as far as that is known */
	bool profiler_api;      /* does it begin at cudaProfilerStart?  nsys does not say so; the first call does */
	arena texts;
} earlier;

/* Open a trace or report, and load what is needed.  nsys: the program that exports a report, or NULL.  False after a
 * problem. */
bool earlier_open(earlier *to, const char *path, unsigned need, const char *nsys, notes *say);
void earlier_close(earlier *e);

/* Take the trace's command where the user gave none.  False after a problem, if it must be complete; else COMMAND
 * stands for one that there is not. */
bool earlier_command(earlier *e, text_list *command, bool complete, notes *say);
