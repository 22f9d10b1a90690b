/*
 * diff - what changed between two tables, and is it real?
 *
 *     read_table before = { 0 }, after = { 0 };
 *     diff_params p = { .min_pct = 1, .alpha = 0.05 };
 *     table answer = { 0 };
 *     if (read_table_named("before.tsv", &before, say) && read_table_named("after.tsv", &after, say))
 *         diff_answer(&before, &after, &p, &answer, say);
 *     table_free(&answer);
 *     read_table_free(&before);
 *     read_table_free(&after);
 *
 * A sample is the sum of the rows of a key in one window: rows that agree in trace, pid and window.  If both sides have
 * several traces, it is the median of these sums in one trace.  The samples of both sides are compared key by key
 * (base/rank_test.h).  share/conventions/diff.md says what makes a key and which changes are called real.
 */
#pragma once

#include "answer/inputs.h"
#include "step/steps_rule.h"

typedef struct {
	const char *of;         /* the column to compare; NULL: see diff_plan.c */
	const char *by;         /* the columns of a key, separated by commas; NULL: see diff_plan.c */
	const char *unit_in;    /* the column with the unit of each row; NULL: the name of the compared column tells
				 * the unit */
	double min_pct, min;    /* a smaller difference is no change.  min_pct: in percent of the value before; min: in
				 * the unit of the column */
	double alpha;           /* highest probability that some key is called changed although none is */
} diff_params;

/* Add the columns of an answer about two traces.  An answer about tables has the tables' keys in place of the column
 * `part`. */
void diff_columns(table *out);

/* Add the columns and the rows.  The names of the keys belong to the two tables and live as long as these.  False after
 * a problem. */
bool diff_answer(const read_table *before, const read_table *after, const diff_params *p, table *out, notes *say);

extern const table_col diff_all[];      /* every column except the tables' keys */

/* Split the change of each name, in the mean window, into the part due to its count and the part due to the mean time
 * of one.  The change of a name that only one side has is not split.  False after a problem. */
bool diff_split_answer(const read_table *before, const read_table *after, table *out, notes *say);
void diff_split_columns(table *out);

/* ---- two tables, or the steps of two traces: nsq-diff */

enum { DIFF_SAMPLES = 1, DIFF_SPLIT = 2 };

typedef struct {
	unsigned mode;          /* DIFF_SAMPLES, or DIFF_SPLIT */
	diff_params diff;
	steps_choice choice;    /* how the steps of traces are chosen */
} diff_inputs_params;

/* Compare the two traces or tables of `in`.  A single trace is compared with itself.  False after a problem. */
bool diff_inputs_answer(const inputs *in, const diff_inputs_params *p, table *out, notes *say);
