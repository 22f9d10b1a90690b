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
 * The two tables are the sides.  Rows that agree in trace, pid and window are one window; rows that agree in the key
 * columns have the same key.  A sample is the sum of the compared column over the rows of one key in one window.  If
 * both sides have several traces, a sample is the median of these sums in one trace.  The samples of both sides are
 * compared key by key (base/rank_test.h).  share/conventions/diff.md says which columns are key columns, and which
 * changes are called real.
 */
#pragma once

#include "answer/inputs.h"
#include "step/steps_rule.h"

typedef struct {
	const char *of;         /* the column to compare; NULL: the usual one (diff.md) */
	const char *by;         /* the key columns, separated by commas; NULL: the usual ones (diff.md) */
	const char *unit_in;    /* the column with the unit of each row; NULL: the name of the compared column tells
				 * the unit */
	double min_pct;         /* a smaller difference, in percent of the value before, is no change */
	double min;             /* a smaller difference, in the unit of the column, is no change */
	double alpha;           /* the accepted probability that some key is called changed although none has changed */
} diff_params;

/* Add all columns that an answer about two traces can have.  The column `part` says which part of the steps a row is
 * about (step_parts.h).  An answer about tables has their key columns instead. */
void diff_columns(table *out);

/* Add the columns and the rows of the comparison.  The names of the key columns belong to the two tables, which must
 * outlive `out`.  False after a problem. */
bool diff_answer(const read_table *before, const read_table *after, const diff_params *p, table *out, notes *say);

extern const table_col diff_all[];      /* every column except the tables' key columns; the last element is empty */

/* Add the columns and the rows of a split.  For each name (of a kernel or range), the change of its mean time per
 * window is split into two parts: one because it occurs more or less often, and one because it takes longer or shorter
 * each time.  The change of a name that only one side has is not split.  False after a problem. */
bool diff_split_answer(const read_table *before, const read_table *after, table *out, notes *say);
void diff_split_columns(table *out);

/* ---- two tables, or the steps of two traces: nsq-diff */

enum { DIFF_SAMPLES = 1, DIFF_SPLIT = 2 };

typedef struct {
	unsigned mode;          /* DIFF_SAMPLES: as diff_answer; DIFF_SPLIT: as diff_split_answer */
	diff_params diff;
	steps_choice choice;    /* how the steps of traces are chosen */
} diff_inputs_params;

/* Compare the two traces or tables of `in`.  A single trace is compared with itself.  False after a problem. */
bool diff_inputs_answer(const inputs *in, const diff_inputs_params *p, table *out, notes *say);
