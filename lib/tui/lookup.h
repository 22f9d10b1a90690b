/*
 * lookup - what the tools say of the trace that is looked at: a stretch of time in sums, its steps.
 *
 *     lookup l = { .file = "run.sqlite", .path = "run.sqlite", .threads = 2 };
 *     lookup_sums s = { 0 };
 *     notes say = { 0 };
 *     if (lookup_range(&l, &(lookup_of){ .pid = 693, .sub = -1, .gpu = 0 }, (ival){ 100, 200 }, &s, &say))
 *         printf("busy for %lld ns, idle for %zu causes\n", (long long)s.busy_ns, table_rows(&s.idle));
 *     lookup_sums_free(&s);
 *     lookup_free(&l);
 *     notes_free(&say);
 *
 * The answers are those of nsq-gaps (--by cause, --each), nsq-kernels and nsq-window, asked here as there.  They need
 * calls, synchronizations and shapes of kernels, which the picture does not, so the trace is read a second time when
 * the first question comes, and kept.
 */
#pragma once

#include "answer/question.h"
#include "base/parallel.h"
#include "picture/marked.h"

typedef struct {
	const char *file, *path;        /* as below */
	int threads;
} lookup_trace;

typedef struct {
	const char *file;       /* the SQLite file, */
	const char *path;       /* what the user calls it */
	int threads;
	vec(lookup_trace) all;  /* the traces that were given, for the findings */
	const load_comm *comm;  /* for the findings, as for nsq-advise */
	bool captured;
	trace *t;               /* NULL until it is needed */
	bool failed;            /* it cannot be read or answer; that was said */
	notes say;              /* for the trace */
} lookup;

typedef struct {                /* the process asked about, and its GPU; -1: any */
	int64_t pid, sub, gpu;
} lookup_of;

typedef struct {
	int64_t busy_ns, idle_ns;
	table idle;             /* nsq-gaps --by cause */
	table kernels;          /* nsq-kernels */
} lookup_sums;

bool lookup_range(lookup *l, const lookup_of *of, ival time, lookup_sums *s, notes *say);
void lookup_sums_free(lookup_sums *s);

/* The row of an idle gap, as nsq-gaps --each has it.  The caller frees the table. */
bool lookup_gap(lookup *l, const lookup_of *of, ival gap, table *row, notes *say);

/* The steps of the process, as nsq-window --skip 0 --pick all has them, or the one that --period --pick longest
 * does.  The caller frees the table. */
bool lookup_steps(lookup *l, const lookup_of *of, bool longest, table *steps, notes *say);

/* What nsq-advise finds in all traces, each with its place; NULL after a problem.  It needs most of a trace, so that
 * they are read for this alone, and not kept.  The caller frees it. */
marked *lookup_findings(const lookup *l, notes *say);

void lookup_free(lookup *l);
