/*
 * ncu_choice - which launches of a program ncu is to measure: kernels by name, and where they are among all launches.
 *
 *     notes say = { 0 };
 *     ncu_choice c = { 0 };
 *     if (ncu_choose_top(&c, t, 5, &say))        // the five that take most time, in a steady step
 *         printf("--kernel-name %s --launch-skip %lld --launch-count %lld\n", c.names, (long long)c.skip,
 *                (long long)c.count);
 *     ncu_choice_free(&c);
 *     notes_free(&say);
 *
 * ncu counts the launches that its filters let through.  A step that is an NVTX range is one of them, unless other
 * threads launch in it: ncu knows only the ranges of the thread that launches.
 */
#pragma once

#include "base/child.h"
#include "capture/params.h"
#include "table/read_table.h"
#include "trace/trace.h"

typedef struct {
	text_list kernels;      /* the names of their functions, the longest total first */
	const char *names;      /* the same as --kernel-name takes them */
	const char *range;      /* as --nvtx-include takes it, or NULL */
	int64_t skip, count;    /* count 0: all */
	int64_t skip_all;       /* what skip is without the range */
	bool profiler_api;      /* are they counted from cudaProfilerStart on? */
	arena texts;
} ncu_choice;

/* What must be loaded. */
unsigned ncu_choice_need(void);

/* Of a trace: the n kernels that compute and take most time, as they are launched in a steady step.  False after a
 * problem: there are none. */
bool ncu_choose_top(ncu_choice *to, trace *t, int64_t n, notes *say);

/* The kernels of a table, as they are launched in its window; t: its trace, or NULL. */
bool ncu_choose_rows(ncu_choice *to, const read_table *rows, trace *t, notes *say);

/* The trace that a table cites first; NULL: none. */
const char *ncu_choice_trace(const read_table *rows);

void ncu_choice_free(ncu_choice *c);

/* ---- the command lines of ncu (ncu_command.c).  What nsq-mfu needs is in the set roofline, which has speed of light
 * too, and in dram__bytes.sum. */

/* The ncu to run: $NSQ_NCU, else the one on the PATH. */
const char *ncu_program(void);

/* Into OUTPUT.ncu-rep, what ncu says into OUTPUT.log; output NULL: the raw page into raw.csv.  scopes: does it
 * have --nvtx-push-pop-scope? */
void ncu_profile(arguments *to, const char *program, bool scopes, const ncu_choice *c, const capture_params *p,
		 const char *output);

/* The raw page of OUTPUT.ncu-rep, into a file that nsq-mfu --ncu reads. */
void ncu_raw_page(arguments *to, const char *program, const char *output, const char *csv);
