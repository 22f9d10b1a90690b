/*
 * capturing - runs the profilers on a command, keeps their files and a manifest of what was done, and checks the trace.
 *
 *     capture_params p = { .mode = 1, .folder = "cap" };
 *     vec_push(&p.command, "./train");
 *     int code = capturing_run(&p);              // the exit code of ./train
 *     ... code ...                               // cap/nsys/run.sqlite, cap/manifest.json
 */
#pragma once

#include "capture/params.h"
#include "trace/load.h"

/* Returns the exit code of the command; if that is 0, the exit code of whatever else failed. */
int capturing_run(const capture_params *p);

/* ---- running the command of a trace again, with options for what the trace lacks (again.c) */

/* For --again or --ncu-for: print the command or, if there is a folder, run it.  Returns the exit code. */
int again_print_or_run(capture_params *p);

/* ---- kernels that matter, measured by ncu (measuring.c) */

typedef struct {
	const char *version;    /* the version of ncu; or NULL */
	const char *json;       /* what was measured and how, as JSON; NULL: nothing */
	int wanted;              /* the signal that asked nsq-capture to end, or 0 */
	arena texts;
} measured;

/* Measure the p->ncu kernels of a trace that take most time, into FOLDER/ncu.  False after a problem. */
bool measure_top(measured *to, const capture_params *p, const char *folder, const char *trace_file);

/* Measure the kernels of the table p->ncu_for, into p->folder; without a folder, or with p->dry_run, print the commands
 * that would do so.  Returns the exit code of the command; if that is 0, the exit code of whatever else failed. */
int measure_table(capture_params *p);

/* ---- checking a captured trace (caught.c) */

/* Write some steps of a trace as a slice that keeps everything in these steps.  steps: A, A..B or a list of these.
 * False after a problem. */
bool caught_slice_steps(const char *trace, int threads, const char *steps, const char *to, notes *say);

/* Does the text have a form that caught_slice_steps takes? */
bool caught_steps_are_valid(const char *steps);

/* A likely reason for a capture without any events; NULL: no option explains it. */
const char *caught_why_nothing(const capture_params *p, arena *to);

/* Add a note if a trace is too large to be read here, has no GPU work, lost events or has no ranges: the first of these
 * that is the case.  The note says what to do about it. */
void caught_check(const char *trace, int threads, const capture_params *p, notes *say);

/* Advice for the first known trouble in the output of a profiler (share/rules/trouble.tsv); NULL: there is none. */
const char *trouble_advice(const char *text, arena *to);

/* ---- the folders of captures (captures.c).  Only files with the names of a capture's files are removed, and never
 * through a link. */

/* Is there a file, folder or link? */
bool captures_path_exists(const char *path);

/* May a capture be written there?  False after a problem: the folder holds something else than a capture, or a capture
 * that may not be replaced. */
bool captures_may_write(const char *folder, bool replace, notes *say);

/* May measurements of ncu be written there?  The folder need not hold a capture.  False after a problem. */
bool captures_may_measure(const char *folder, bool replace, notes *say);

/* Make a folder, and those above it that are missing.  False after a problem. */
bool captures_make_folders(const char *folder, notes *say);

/* Make the folder of a capture.  A capture that is in it is removed if it may be replaced.  False after a problem. */
bool captures_make(const char *folder, bool replace, notes *say);

/* The size of all files below a folder, in bytes. */
int64_t captures_bytes(const char *folder);

/* Remove all but the last n captures in a folder.  below: where the capture is in each entry of the folder, such as
 * "/rank-0"; "": the entry is the capture. */
void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say);

/* Compress the traces of all but the last n captures: run.sqlite becomes run.sqlite.gz. */
void captures_compress_all_but(const char *folder, const char *below, int64_t n, notes *say);

/* ---- a trace that was captured before, and the command that was run for it (earlier.c) */

typedef struct {
	trace *t;
	text_list command;      /* the command in the trace; empty in a slice, or in a trace of an old nsys */
	bool incomplete;        /* the trace lacks words of the command, and ... stands for them */
	double delay_s;         /* seconds from the start of the command to the start of the capture; 0: unknown */
	bool profiler_api;      /* did the capture begin at cudaProfilerStart, as its first call suggests? */
	arena texts;
} earlier;

/* Open a trace or report, and load what `need` says (TRACE_...).  nsys: the program that exports a report, or NULL.
 * False after a problem. */
bool earlier_open(earlier *to, const char *path, unsigned need, const char *nsys, notes *say);
void earlier_close(earlier *e);

/* Take the trace's command if the user gave none.  If the command must be `complete`, an incomplete or missing one is a
 * problem, and the result is false; otherwise the word COMMAND stands for a missing one. */
bool earlier_command(earlier *e, text_list *command, bool complete, notes *say);
