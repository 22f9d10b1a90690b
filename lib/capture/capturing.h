/*
 * capturing - runs the profilers on a command, keeps their files and a manifest of what was done, and checks the trace.
 *
 *     notes say = { 0 };
 *     capture_params p = { .mode = 1, .folder = "cap", .say = &say, .show = notes_free };       // discards the notes
 *     vec_push(&p.command, "./train");
 *     int code = capturing_run(&p);              // the exit code of ./train
 *     ... code ...                               // cap/nsys/run.sqlite, cap/manifest.json
 */
#pragma once

#include "capture/params.h"
#include "trace/load.h"

/* Capture the command, once for each case of a sweep; with p->dry_run, print the commands that would do so.  Returns
 * EXIT_ANSWERED, or the exit code of the first capture that failed: that of the command or, if the command succeeded,
 * EXIT_FAILED or EXIT_WRONG.
 *
 * If this rank is not in p->ranks, the command runs without a capture, as often as in the ranks that are captured; with
 * p->dry_run, it is only printed.  The last run replaces this process, so capturing_run then returns only if that run
 * cannot start, or if a signal asked nsq-capture to end during an earlier run. */
int capturing_run(const capture_params *p);

/* ---- running the command of a trace again, with options for what the trace lacks (again.c) */

/* Capture again (--again), or measure kernels (--ncu-for).  Without p->folder, or with p->dry_run, only print the
 * commands that would do so.  Returns the exit code. */
int again_print_or_run(capture_params *p);

/* ---- measuring kernels with ncu (measuring.c) */

typedef struct {
	const char *version;    /* the version of ncu, or "unknown"; NULL: ncu does not run */
	const char *json;       /* the record of the run of ncu for manifest.json; NULL: ncu was not run */
	int signal;             /* the signal that asked nsq-capture to end, or 0 */
	arena texts;
} measured;

/* Measure the p->ncu compute kernels that take most time in the trace, and write the results into FOLDER/ncu.  False
 * after a problem. */
bool measure_top_kernels(measured *to, const capture_params *p, const char *folder, const char *trace_file);

/* Measure the kernels of the table p->ncu_for, and write the results into p->folder/ncu; without a folder, or with
 * p->dry_run, print the commands that would do so.  Returns the exit code of ncu or, if that is 0, the exit code of
 * the problem in p->say. */
int measure_table_kernels(capture_params *p);

/* ---- checking a captured trace (caught.c) */

/* Write a slice of a trace, with all events of some steps, to the file `to`.  steps: the indices of the steps, from
 * 0: A, A..B, or several of these separated by commas.  False after a problem. */
bool caught_slice_steps(const char *trace, int threads, const char *steps, const char *to, notes *say);

/* Is the text a valid `steps` of caught_slice_steps? */
bool caught_steps_are_valid(const char *steps);

/* A likely reason for a capture without any events: one of the options --range, --profiler-api, --delay and
 * --duration.  NULL: none of them was given. */
const char *caught_explain_no_events(const capture_params *p, arena *to);

/* Add a note about the first of these that is true: the trace is so large that it is not checked, it has no GPU
 * work, nsys lost events, or the trace has no NVTX ranges.  The note says what to do about it. */
void caught_check_trace(const char *trace, int threads, const capture_params *p, notes *say);

/* The advice of share/rules/trouble.tsv for the first line of the text that one of its rules matches; NULL: no rule
 * matches.  text: the output of a profiler. */
const char *caught_find_advice(const char *text, arena *to);

/* ---- the folders of captures (captures.c).  Only files with the names of a capture's files are removed, and none
 * in nsys/ or ncu/ if that is a link. */

/* Is the path a file, a folder or a link, even one that leads nowhere? */
bool captures_path_exists(const char *path);

/* May a capture be written into the folder?  False after a problem: it is no folder, it holds something other than
 * a capture, it holds a capture and `replace` is not set, or nsys/ or ncu/ in it is a file or a link. */
bool captures_may_write(const char *folder, bool replace, notes *say);

/* May measurements of ncu be written into FOLDER/ncu?  The folder need not hold a capture.  False after a problem:
 * FOLDER/ncu is a file or a link, it holds something and `replace` is not set, or it holds files that ncu does not
 * write and FOLDER is no capture. */
bool captures_may_measure(const char *folder, bool replace, notes *say);

/* Make a folder, and those above it that are missing.  False after a problem. */
bool captures_make_folders(const char *folder, notes *say);

/* Make the folder of a capture, and nsys/ in it.  If the folder holds a capture and `replace` is set, remove the
 * files of that capture first.  False after a problem: see captures_may_write. */
bool captures_prepare_folder(const char *folder, bool replace, notes *say);

/* The size of all files below a folder, in bytes. */
int64_t captures_sum_bytes(const char *folder);

/* Remove all captures in a folder but the n with the latest manifests.  below: the path of the capture inside each
 * entry of the folder, such as "/rank-0"; "": the entry is the capture. */
void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say);

/* Compress the traces of all captures that captures_keep_last would remove.  run.sqlite becomes run.sqlite.gz, and
 * whole.sqlite becomes whole.sqlite.gz. */
void captures_compress_all_but(const char *folder, const char *below, int64_t n, notes *say);

/* ---- a trace that was captured before, and the command that was run for it (earlier.c) */

typedef struct {
	trace *t;
	text_list command;      /* the words of the command; empty: the trace lacks it, like most slices and traces
				 * of an old nsys */
	bool incomplete;        /* does the trace lack words of the command?  In `command`, ... stands for each of
				 * them */
	double delay_s;         /* seconds from the start of the command to the start of the capture; 0: none, or
				 * unknown */
	bool profiler_api;      /* is the first call of the trace cudaProfilerStart, so that the capture probably
				 * began there? */
	arena texts;
} earlier;

/* Open a trace or report, and load the tables in `need` (TRACE_...).  nsys: the program that exports a report; NULL:
 * what report_find_nsys finds.  False after a problem; earlier_close is needed even then. */
bool earlier_open(earlier *to, const char *path, unsigned need, const char *nsys, notes *say);
void earlier_close(earlier *e);

/* If `command` is empty, fill it with the trace's command.  The trace may have no command, or lack words of it.  With
 * `complete`, that is a problem, and the result is false.  Without it, the word COMMAND stands for a missing command,
 * and "..." for each missing word.  The words are freed by earlier_close. */
bool earlier_fill_command(earlier *e, text_list *command, bool complete, notes *say);
