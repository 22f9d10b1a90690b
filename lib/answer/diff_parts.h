/*
 * diff_parts - what the files of nsq-diff share: which columns of two tables are compared, and their rows as samples.
 * For lib/answer/diff*.c alone.
 *
 *     diff_plan plan;
 *     const read_table *const both[] = { &before, &after };
 *     if (diff_plan_make(both, &(diff_params){ .of = "dur_ns" }, &plan, say)) {
 *         diff_samples *all = diff_samples_build(both, &plan, say);
 *         printf("%s by %zu columns has %zu keys\n", plan.measure, plan.n, diff_samples_count_keys(all));
 *         diff_samples_free(all);
 *     }
 */
#pragma once

#include "answer/diff.h"
#include "base/interval.h"

/* ---- which column of two tables is compared, and which make a key */

enum { DIFF_SIDES = 2, DIFF_KEYS = 24 };

typedef struct {
	const char *name;
	int at[DIFF_SIDES];     /* position of the column in each table */
	bool fold;              /* names that differ only in digits count as one */
} diff_key;

typedef struct {
	const char *measure;    /* the name of the compared column */
	int measure_at[DIFF_SIDES];     /* its position in each table */
	bool whole;             /* all values of the compared column are whole numbers */

	diff_key key[DIFF_KEYS];        /* the n columns that make a key; their values are treated as texts */
	size_t n;
	bool rank;              /* may the rank be part of the key? */
	bool process;           /* may the order of the process in its trace be part of the key? */
	bool gpu;               /* is the GPU part of the key? */

	/* positions of columns; -1: the table has no such column */
	int trace_at[DIFF_SIDES], pid_at[DIFF_SIDES], window_at[DIFF_SIDES], rank_at[DIFF_SIDES], gpu_at[DIFF_SIDES],
	    start_at[DIFF_SIDES], end_at[DIFF_SIDES], unit_at[DIFF_SIDES];
} diff_plan;

/* Choose the compared column and the key columns.  False after a problem. */
bool diff_plan_make(const read_table *const side[DIFF_SIDES], const diff_params *p, diff_plan *plan, notes *say);

/* The text of a cell, as its id in the pool; STR_NONE: the cell is missing. */
uint32_t diff_read_text(const read_table *in, size_t row, int col, str_pool *pool);

/* ---- the columns of DIFF_SPLIT */

#define DIFF_SPLIT_COLUMNS(X) \
	X(COUNT_BEFORE, "count_before", 'd', NULL, "--split: mean number per window before") \
	X(COUNT_AFTER, "count_after", 'd', NULL, "--split: mean number per window after") \
	X(BEFORE_NS, "before_ns", 'i', "ns", "--split: mean time per window before") \
	X(AFTER_NS, "after_ns", 'i', "ns", "--split: mean time per window after") \
	X(DELTA_NS, "delta_ns", 'i', "ns", "--split: after_ns - before_ns, which is the sum of the next three") \
	X(BY_COUNT_NS, "by_count_ns", 'i', "ns", "--split: because there are more or fewer: change of the count, " \
	  "times the mean time of one before") \
	X(BY_TIME_NS, "by_time_ns", 'i', "ns", "--split: because each takes longer or shorter") \
	X(BY_OTHER_NS, "by_other_ns", 'i', "ns", "--split: delta_ns if only one side has the name, else 0") \
	X(SPLIT_CHANGE, "change", 't', NULL, "more, fewer, slower or faster, by the larger part of delta_ns; new " \
	  "or gone: only one side has the name; same") \
	X(CATEGORY, "category", 't', NULL, "--split: category of the kernel, by the rules llm") \
	X(NAME, "name", 't', NULL, "--split: kernel or range") \
	X(INSTEAD, "instead", 't', NULL, "--split: for a new name, the largest of its category that is gone; for a " \
	  "gone name, the largest that is new")

/* ---- the rows of two tables as samples: one for each key and window */

typedef struct diff_samples diff_samples;

typedef struct {                        /* all samples of a key */
	int64_t rank, process, gpu;     /* TABLE_MISSING: the key has none */
	const char *name[DIFF_KEYS];    /* for each column of diff_plan.key: its text; NULL: it is missing */
	const char *unit;               /* the unit of its first row or, if the tables have no column of units, that of
					 * the compared column; NULL: none */
	double *v[DIFF_SIDES];          /* the samples of each side: one for each window in which the key could be, 0
					 * if it is not, or one for each trace if both sides have several */
	size_t n[DIFF_SIDES];           /* the number of samples of each side */
	bool there[DIFF_SIDES];         /* does a row of this side have the key? */
	ival hull;                      /* from the first start to the last end of the windows of the second side;
					 * IVAL_NOWHERE: they are in several traces, or their times are unknown */
	const char *trace;              /* the trace of `hull`; or NULL */
} diff_key_samples;

/* Make the samples of all keys.  The tables and the plan must outlive the result.  If the plan asks for processes to be
 * told apart and they cannot be, a remark says why. */
diff_samples *diff_samples_build(const read_table *const side[DIFF_SIDES], const diff_plan *plan, notes *say);
void diff_samples_free(diff_samples *all);

/* The number of keys. */
size_t diff_samples_count_keys(const diff_samples *all);

/* Are some keys told apart only by the order of their processes? */
bool diff_samples_are_by_process(const diff_samples *all);

/* The samples of a key, given by its index; free them with diff_key_samples_free.  Their texts belong to `all`. */
diff_key_samples diff_samples_of(diff_samples *all, size_t key);
void diff_key_samples_free(diff_key_samples *s);
