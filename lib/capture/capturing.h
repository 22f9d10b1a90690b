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

/* The exit code: that of the command; if that is 0, the one of what else failed. */
int capturing_run(const capture_params *p);

/* ---- the run of a trace once more, with what the trace lacks (again.c) */

/* With --again or --ncu-for: print the command, with a folder run it.  The exit code. */
int again_run(capture_params *p);

/* ---- kernels that matter, measured by ncu (measuring.c) */

typedef struct {
	const char *version;    /* of ncu; or NULL */
	const char *json;       /* what was measured and how; NULL: nothing */
	int asked;              /* the signal that asked us to end; or 0 */
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
bool caught_steps(const char *trace, const char *steps, const char *to, notes *say);

/* Is A..B, or A, what caught_steps takes? */
bool caught_steps_fit(const char *steps);

/* Why nothing at all may have been captured; NULL: no option explains it. */
const char *caught_why_nothing(const capture_params *p, arena *to);

/* Say in one line each what is wrong with a trace, and how to capture a better one. */
void caught_check(const char *trace, const capture_params *p, notes *say);

/* What profilers print when they cannot do what they were asked, and what to do about it: for the first line of the
 * text that share/rules/trouble.tsv knows; NULL: for none. */
const char *trouble_advice(const char *text, arena *to);
