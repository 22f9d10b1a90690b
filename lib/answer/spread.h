/*
 * spread - shows how the sums over merged windows are distributed over the single windows.
 *
 *     gaps_params p = { .mode = GAPS_SUMS };
 *     table answer = { 0 };
 *     arena texts = { 0 };
 *     gaps_answer.columns(&p, &answer);
 *     spread_columns(&answer, &texts);
 *     spread_answer(t, &(spread_windows){ all, single }, &gaps_answer, &p, &answer, say);
 *     table_free(&answer);
 *     arena_free(&texts);
 *
 * The rows are those of the merged windows.  Four columns are added: the number of windows, and the median, the 90th
 * percentile and the maximum over the windows of the time by which rows are ordered.  If a window has no row with the
 * same key (names, process, GPU ...), its time counts as 0.
 */
#pragma once

#include "answer/question.h"

typedef struct {
	const windows *merged;  /* windows of one trace, merged into one for each process, or each process and GPU */
	const windows *single;  /* the same windows, not merged */
} spread_windows;

/* Add the four columns to those of an answer.  The table must not have rows yet.  The names of the columns are kept in
 * `texts`. */
void spread_columns(table *out, arena *texts);

/* Add the answer for the merged windows, with the four columns filled.  The rows of the answer must be sums, ordered by
 * a time, longest first.  False after a problem. */
bool spread_answer(trace *t, const spread_windows *w, const answer *of, const void *params, table *out, notes *say);
