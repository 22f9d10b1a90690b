/*
 * gate - which rows of a table break a condition?
 *
 *     table answer = { 0 };
 *     if (gate_answer(&in, "idle_pct < 5", &(gate_how){ 0 }, &answer, say))
 *         printf("%zu rows\n", table_rows(&answer));     // and, if there is one, a problem with EXIT_BROKEN
 *     table_free(&answer);
 */
#pragma once

#include "answer/inputs.h"

typedef struct {
	bool empty;             /* may the table have no rows? */
	int64_t max_rows;       /* more that break it are a problem; 0: any number */
} gate_how;

/* The rows of the table, as they are, for which the SQL condition is not true: false, or NULL.  A table without rows
 * breaks every condition unless it may have none.  False if the condition is wrong; one that compares a number with a
 * text is (gate_types.h). */
bool gate_answer(const input_table *in, const char *condition, const gate_how *how, table *out, notes *say);
