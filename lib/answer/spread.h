/*
 * spread - how what merged windows have in all is spread over the single ones.
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
 * Rows are those of the merged windows.  Four columns are added: how many windows
 * there are, and the median, the 90th percentile and the maximum over them of the
 * time by which rows are ordered.  In a window without such a row it is 0.
 */
#pragma once

#include "answer/question.h"

typedef struct {
	const windows *merged, *single;     /* of one trace, the same windows */
} spread_windows;

/* Add the columns to those of the answer; their names are kept in texts. */
void spread_columns(table *out, arena *texts);

/* The answer for the merged windows, with those columns filled.  Its rows are sums, ordered by a time, longest
 * first. */
bool spread_answer(trace *t, const spread_windows *w, const answer *of, const void *params, table *out, notes *say);
