/*
 * diff_inputs - what changed between two tables, or between the steps of two traces: nsq-diff.
 *
 *     diff_inputs_params p = { .diff = { .min_pct = 1, .alpha = 0.05 } };
 *     table answer = { 0 };
 *     diff_inputs_answer(&(inputs){ 0 }, &p, &answer, say);      // with two tables, or two traces
 *     table_free(&answer);
 */
#pragma once

#include "answer/diff.h"
#include "answer/inputs.h"

#include <regex.h>

typedef struct {
	unsigned mode;          /* always 1, the only one */
	diff_params diff;
	const regex_t *match;   /* of traces: the ranges that are the steps; NULL: those that are found */
} diff_inputs_params;

/* A trace given once is compared with itself. */
bool diff_inputs_answer(const inputs *in, const diff_inputs_params *p, table *out, notes *say);
