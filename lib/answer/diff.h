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
 * A sample is what the rows of a key add up to in one window: a distinct trace, pid
 * and window.  The samples of both sides are compared key by key (base/rank_test.h).
 * What makes a key, and which changes are called real, is said in
 * share/conventions/diff.md.
 */
#pragma once

#include "answer/inputs.h"
#include "step/steps_rule.h"

typedef struct {
	const char *of;         /* the column to compare; NULL: see diff_plan.c */
	const char *by;         /* the columns of a key, separated by commas; NULL: see diff_plan.c */
	const char *unit_in;    /* the column with the unit of each row; NULL: the name of the column compared says
				 * it */
	double min_pct, min;    /* a difference below either, in percent of before or as it is, is no change */
	double alpha;           /* how probable it may be that any key is called changed where none is */
} diff_params;

/* The columns of an answer about two traces; other tables have their own keys in the place of part. */
void diff_columns(table *out);

/* Add the columns and the rows.  The names of the keys stay those of the tables.  False after a problem. */
bool diff_answer(const read_table *before, const read_table *after, const diff_params *p, table *out, notes *say);

extern const table_col diff_all[];      /* every column, but for the keys of tables */

/* The change of each name by its number and by the time of each, in the mean window.  False after a problem. */
bool diff_split_answer(const read_table *before, const read_table *after, table *out, notes *say);
void diff_split_columns(table *out);

/* ---- two tables, or the steps of two traces: nsq-diff */

enum { DIFF_SAMPLES = 1, DIFF_SPLIT = 2 };

typedef struct {
	unsigned mode;          /* DIFF_SAMPLES, or DIFF_SPLIT */
	diff_params diff;
	steps_choice choice;    /* of traces: of their steps */
} diff_inputs_params;

/* A trace given once is compared with itself. */
bool diff_inputs_answer(const inputs *in, const diff_inputs_params *p, table *out, notes *say);
