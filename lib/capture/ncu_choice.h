/*
 * ncu_choice - the choice of launches that ncu measures: kernels by name, and their place among all launches.
 *
 *     notes say = { 0 };
 *     ncu_choice c = { 0 };
 *     if (ncu_choose_top(&c, t, 5, &say))        // the five that take most time, in a steady step
 *         printf("--kernel-name %s --launch-skip %lld --launch-count %lld\n", c.names, (long long)c.skip,
 *                (long long)c.count);
 *     ncu_choice_free(&c);
 *     notes_free(&say);
 *
 * ncu counts only the launches that its filters let through.  If a step is an NVTX range, this range is a filter,
 * unless other threads launch in it: ncu knows only the ranges of the launching thread.
 */
#pragma once

#include "base/child.h"
#include "capture/params.h"
#include "table/read_table.h"
#include "trace/trace.h"

typedef struct {
	text_list kernels;      /* the names of their functions, in the order of their time if ncu_choose_top chose
				 * them */
	const char *names;      /* these names as an argument of --kernel-name */
	const char *range;      /* the argument of --nvtx-include, or NULL */
	int64_t skip, count;    /* launches to skip, and to measure; count 0: all */
	int64_t skip_all;       /* the value of skip if the range is not used */
	bool profiler_api;      /* are launches counted from cudaProfilerStart on? */
	arena texts;
} ncu_choice;

/* The parts of a trace that must be loaded (TRACE_...). */
unsigned ncu_choice_need(void);

/* Choose the n compute kernels that take most time in the trace, and their launches in a steady step.  False after a
 * problem: the trace has none. */
bool ncu_choose_top(ncu_choice *to, trace *t, int64_t n, notes *say);

/* Choose the kernels of a table, and their launches in its window.  t: its trace, or NULL.  False after a problem. */
bool ncu_choose_rows(ncu_choice *to, const read_table *rows, trace *t, notes *say);

/* The trace that a table cites first; NULL: none. */
const char *ncu_choice_trace(const read_table *rows);

void ncu_choice_free(ncu_choice *c);

/* ---- the command lines of ncu (ncu_command.c).  They always measure what nsq-mfu needs: the set roofline, which
 * includes speed of light, and the metric dram__bytes.sum. */

/* The ncu to run: $NSQ_NCU, otherwise the one on the PATH. */
const char *ncu_program(void);

/* The command that measures into OUTPUT.ncu-rep, with the messages of ncu in OUTPUT.log.  output NULL: the command
 * writes the raw page to raw.csv.  scopes: this ncu has --nvtx-push-pop-scope. */
void ncu_profile_command(arguments *to, const char *program, bool scopes, const ncu_choice *c, const capture_params *p,
			 const char *output);

/* The command that writes the raw page of OUTPUT.ncu-rep into a file for nsq-mfu --ncu. */
void ncu_raw_page_command(arguments *to, const char *program, const char *output, const char *csv);
