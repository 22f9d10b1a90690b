/*
 * ncu_choice - chooses what ncu measures: the names of kernels, and how many of their launches to skip and to measure.
 *
 *     notes say = { 0 };
 *     ncu_choice c = { 0 };
 *     if (ncu_choose_top(&c, t, 5, &say))        // the five that take most time, in a steady step
 *         printf("--kernel-name %s --launch-skip %lld --launch-count %lld\n", c.names, (long long)c.skip,
 *                (long long)c.count);
 *     ncu_choice_free(&c);
 *     notes_free(&say);
 *
 * ncu counts only the launches that its filters let through.  If the step is an NVTX range, and the thread of the range
 * launches all chosen kernels of the step, the range becomes such a filter.  A kernel that another thread launches
 * prevents that, because ncu looks only at the ranges of the launching thread.
 */
#pragma once

#include "base/child.h"
#include "capture/params.h"
#include "table/read_table.h"
#include "trace/trace.h"

typedef struct {
	text_list kernels;      /* the names of the kernels' functions: those of ncu_choose_top by falling time,
				 * those of ncu_choose_rows in the order of the rows */
	const char *names;      /* the argument of --kernel-name that matches these kernels */
	const char *range;      /* the argument of --nvtx-include, or NULL */
	int64_t skip, count;    /* skip: the number of launches that ncu lets through before the first one to
				 * measure; count: the number of launches to measure, or 0: all */
	int64_t skip_all;       /* the value of `skip` for a run of ncu without `range` */
	bool profiler_api;      /* must ncu count launches only from cudaProfilerStart on? */
	arena texts;
} ncu_choice;

/* The parts of a trace that must be loaded (TRACE_...). */
unsigned ncu_choice_need(void);

/* Choose the n compute kernels that take most time in the trace, and their launches in a steady step; if there are
 * no steps, a few launches in the middle of the trace.  False after a problem: the trace has no compute kernel. */
bool ncu_choose_top(ncu_choice *to, trace *t, int64_t n, notes *say);

/* Choose the compute kernels in the rows about the window of the first row, and their launches in that window.  If the
 * table has no window, choose launches as ncu_choose_top does.  t: the trace of the table; NULL: choose the first few
 * launches.  False after a problem. */
bool ncu_choose_rows(ncu_choice *to, const read_table *rows, trace *t, notes *say);

/* The path of the trace that the first row of a table is about; NULL: there is none. */
const char *ncu_choice_find_trace(const read_table *rows);

void ncu_choice_free(ncu_choice *c);

/* ---- the command lines of ncu (ncu_command.c).  ncu always measures what nsq-mfu needs: the set roofline, which
 * includes the section SpeedOfLight, and the metric dram__bytes.sum. */

/* The program to run: $NSQ_NCU or, if that is not set, ncu. */
const char *ncu_program(void);

/* Add the words of the command that measures into OUTPUT.ncu-rep, with the messages of ncu in OUTPUT.log.  output NULL:
 * the command writes no report, but only its raw page, to raw.csv.  scopes: does this ncu have the option
 * --nvtx-push-pop-scope? */
void ncu_profile_command(arguments *to, const char *program, bool scopes, const ncu_choice *c, const capture_params *p,
			 const char *output);

/* Add the words of the command that writes the raw page of OUTPUT.ncu-rep into the file `csv`, for nsq-mfu --ncu. */
void ncu_raw_page_command(arguments *to, const char *program, const char *output, const char *csv);
