/*
 * window_columns - the columns of nsq-window, and what the files of its answer share.  Only lib/answer/window*.c and
 * step_windows.c include it.
 *
 *     window_params p = { .mode = WINDOW_PICK };
 *     table rows = { 0 };
 *     window_answer.columns(&p, &rows);
 *     window_group *g = window_group_rows(&p, &rows);
 *     free(g);
 *     table_free(&rows);
 */
#pragma once

#include "answer/window.h"
#include "step/steady.h"
#include "step/steps.h"

#include <math.h>

#define COLUMNS(X) \
	X(CPU_START_NS, "cpu_start_ns", 'i', "ns", "when the range opened on the CPU") \
	X(CPU_END_NS, "cpu_end_ns", 'i', "ns", "when the range closed on the CPU; with --period, when the next one " \
	  "opened") \
	X(DUR_NS, "dur_ns", 'i', "ns", "length of the window") \
	X(PERIOD_NS, "period_ns", 'i', "ns", "time from start_ns to that of the next range that starts later") \
	X(TOKENS_PER_S, "tokens_per_s", 'd', NULL, "tokens per second: those of --tokens over the period") \
	X(WORK, "work", 'i', NULL, "pieces of GPU work launched in the range; for a tile, those that overlap it") \
	X(INDEX, "index", 'i', NULL, "place of the range among the ranges of its process, from 0") \
	X(NUMBER, "number", 'i', NULL, "number in the range's name, if it grows from each range to the next; else " \
	  "the range's place among those of its process, from 0") \
	X(COUNT, "count", 'i', NULL, "number of ranges: those that index counts, or those of the row with --list " \
	  "and --stats") \
	X(DUR_P50_NS, "dur_p50_ns", 'i', "ns", "median of dur_ns") \
	X(DUR_P90_NS, "dur_p90_ns", 'i', "ns", "90th percentile of dur_ns") \
	X(DUR_MIN_NS, "dur_min_ns", 'i', "ns", "shortest dur_ns") \
	X(DUR_MAX_NS, "dur_max_ns", 'i', "ns", "longest dur_ns") \
	X(PERIOD_P50_NS, "period_p50_ns", 'i', "ns", "median of period_ns") \
	X(PERIOD_P90_NS, "period_p90_ns", 'i', "ns", "90th percentile of period_ns") \
	X(PERIOD_P99_NS, "period_p99_ns", 'i', "ns", "99th percentile of period_ns") \
	X(PERIOD_MAX_NS, "period_max_ns", 'i', "ns", "longest period_ns") \
	X(TOKENS_P50_PER_S, "tokens_p50_per_s", 'd', NULL, "tokens per second at the median period") \
	X(TOKENS_P90_PER_S, "tokens_p90_per_s", 'd', NULL, "tokens per second at the 90th percentile of the " \
	  "periods") \
	X(TOKENS_P99_PER_S, "tokens_p99_per_s", 'd', NULL, "tokens per second at the 99th percentile of the " \
	  "periods") \
	X(GPU_NS, "gpu_ns", 'i', "ns", "time of the kernels and graphs launched in these ranges") \
	X(SIDE, "side", 't', NULL, "gpu: start_ns..end_ns are the times of the range's work; cpu: of the range " \
	  "itself, as it launched none or --cpu asks for them") \
	X(RULE, "rule", 't', NULL, "rule that found the range: match kernel chunk iteration repeat process tile") \
	X(NAME, "name", 't', NULL, "name of the range")

enum { TABLE_IDS(COLUMNS) };

/* Ids of columns that only exist until window_finish; they lie above those of COLUMNS. */
enum {
	WINDOW_GIVEN = COL_IDS - 6,     /* for WINDOW_STATS: the name of the window that the user gave */
	WINDOW_BUSY = COL_IDS - 7       /* how long compute and copies run from the start of a step to that of the next,
					 * ns */
};

typedef struct {                /* the rows of one process in one window */
	const table *t;
	const window_params *p;
	size_t first, n;        /* its rows: n rows of the table from `first` on */
	bool whole;             /* the process has no steps and counts as one step */
	steady steady;          /* the rows that --steady and --skip keep, and the typical one; row 0 is `first` */
} window_group;

/* Tokens per second in a step; NAN: not known. period: of the step, ns. */
static inline double window_tokens_per_s(const window_params *p, int64_t period)
{
	return p->tokens > 0 && period > 0 ? p->tokens * 1e9 / (double)period : NAN;
}

/* Add a summary of the steps of a trace to the list, unless it has one of that trace. */
void window_remember_step_summary(window_step_summaries *list, const trace *t, const step_set *s);

/* Are only steady steps kept, because of --steady or by default? */
bool window_keeps_only_steady(const window_params *p);

/* Divide the rows of WINDOW_PICK by process and window, and find the rows that --skip or --steady keeps.  The array has
 * an element for each group of `rows`; the caller frees it. */
window_group *window_group_rows(const window_params *p, const table *rows);

/* Write the notes about rows that --steady or --skip left out. n: the length of g. */
void window_say_left_out(const window_group *g, size_t n, notes *say);

/* Turn the rows of WINDOW_PICK into those of WINDOW_STATS. */
void window_turn_into_stats(const window_params *p, table *rows, notes *say);

/* The text of a cell; "-": it is missing. */
static inline const char *window_text(const table *t, size_t row, int id)
{
	const char *s = table_value(t, row, id)->t;

	return s ? s : "-";
}
