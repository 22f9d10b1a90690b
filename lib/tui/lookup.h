/*
 * lookup - asks the tools about the trace on the screen: the sums of a stretch of time, a gap, steps, findings.
 *
 *     lookup l = { .file = "run.sqlite", .path = "run.sqlite", .threads = 2 };
 *     lookup_sums s = { 0 };
 *     notes say = { 0 };
 *     if (lookup_sum_up(&l, &(lookup_target){ .pid = 693, .sub = -1, .gpu = 0 }, (ival){ 100, 200 }, &s, &say))
 *         printf("busy for %lld ns, idle for %zu causes\n", (long long)s.busy_ns, table_rows(&s.idle));
 *     lookup_sums_free(&s);
 *     lookup_free(&l);
 *     notes_free(&say);
 *
 * The answers are those of nsq-gaps (--by cause, --each), nsq-kernels and nsq-window.  They need calls,
 * synchronizations and shapes of kernels, which the timeline does not need.  So the first question reads the trace a
 * second time.  It stays open until lookup_free.
 */
#pragma once

#include "answer/question.h"
#include "base/parallel.h"
#include "picture/marked.h"

typedef struct {
	const char *file;       /* the path of the SQLite file */
	const char *path;       /* the user's name for it */
	int threads;            /* the number of threads that load it */
} lookup_trace;

typedef struct {
	const char *file, *path;        /* as in lookup_trace */
	int threads;
	vec(lookup_trace) all;  /* all traces of the command line; for lookup_findings */
	const load_comm_pattern *comm;  /* the option --comm; for lookup_findings */
	bool captured;          /* the option --captured; for lookup_findings */
	trace *t;               /* NULL until it is needed */
	bool failed;            /* could the trace not be read, or has its file changed since?  A note said so */
	notes say;              /* notes about the trace, before they are moved to the caller's */
} lookup;

typedef struct {                /* a process, and one of its GPUs */
	int64_t pid, sub;       /* as in trace_proc, where `sub` tells processes with the same pid apart */
	int64_t gpu;            /* the GPU's number; -1: any GPU */
} lookup_target;

typedef struct {
	int64_t busy_ns, idle_ns;
	table idle;             /* nsq-gaps --by cause */
	table kernels;          /* nsq-kernels */
} lookup_sums;

/* Sum up a stretch of time.  *s starts as { 0 }, and the caller frees it in any case.  False after a problem. */
bool lookup_sum_up(lookup *l, const lookup_target *target, ival time, lookup_sums *s, notes *say);
void lookup_sums_free(lookup_sums *s);

/* Get the row of nsq-gaps --each for an idle gap.  The caller frees the table.  False after a problem. */
bool lookup_get_gap(lookup *l, const lookup_target *target, ival gap, table *row, notes *say);

/* Get the rows of nsq-window --skip 0 --pick all for the process or, with `longest`, the row of nsq-window --period
 * --pick longest.  The caller frees the table.  False after a problem. */
bool lookup_get_steps(lookup *l, const lookup_target *target, bool longest, table *steps, notes *say);

/* The findings of nsq-advise in all traces, with their places; NULL after a problem.  Each trace is read and closed
 * again here, because nsq-advise needs most of a trace.  The caller frees the result. */
marked *lookup_findings(const lookup *l, notes *say);

void lookup_free(lookup *l);
