/*
 * diff_plan - which column of two tables is compared, and which make a key.
 *
 *     diff_plan plan;
 *     const read_table *const both[] = { &before, &after };
 *     if (diff_plan_make(both, &(diff_params){ .of = "dur_ns" }, &plan, say))
 *         printf("%s by %zu columns\n", plan.of_name, plan.n);
 */
#pragma once

#include "answer/diff.h"

enum { DIFF_SIDES = 2, DIFF_KEYS = 24 };

typedef struct {
	const char *name;
	int at[DIFF_SIDES];     /* its position in each table */
	bool fold;              /* digits in it do not tell names apart */
} diff_key;

typedef struct {
	const char *of_name;
	int of[DIFF_SIDES];
	bool whole;             /* all its values are whole numbers */

	diff_key key[DIFF_KEYS];        /* columns that hold texts, or are treated as such */
	size_t n;
	bool rank, process, gpu;        /* may these be part of the key? */

	/* positions, -1 if a table has no such column */
	int trace_at[DIFF_SIDES], pid_at[DIFF_SIDES], window_at[DIFF_SIDES], rank_at[DIFF_SIDES], gpu_at[DIFF_SIDES],
	    start_at[DIFF_SIDES], end_at[DIFF_SIDES], unit_at[DIFF_SIDES];
} diff_plan;

/* False after a problem. */
bool diff_plan_make(const read_table *const side[DIFF_SIDES], const diff_params *p, diff_plan *plan, notes *say);

/* The text of a cell, numbered in a pool; STR_NONE if it is missing. */
uint32_t diff_text(const read_table *in, size_t row, int col, str_pool *pool);
