/*
 * earlier - a trace that was captured before, and the command that was run for it.
 *
 *     notes say = { 0 };
 *     earlier e = { 0 };
 *     if (earlier_open(&e, "run.sqlite", TRACE_WORK, NULL, &say) && e.command.n)
 *         puts(e.command.v[0]);                  // python3
 *     earlier_close(&e);
 *     notes_free(&say);
 */
#pragma once

#include "base/text.h"
#include "trace/load.h"

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
