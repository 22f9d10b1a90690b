/*
 * gate - which rows of a table break a condition?
 *
 *     table answer = { 0 };
 *     if (gate_answer(&in, "idle_pct < 5", false, &answer, say))
 *         printf("%zu rows\n", table_rows(&answer));     // and, if there is one, a problem with EXIT_BROKEN
 *     table_free(&answer);
 */
#ifndef GATE_H
#define GATE_H

#include "answer/inputs.h"

/* The rows of the table, as they are, for which the SQL condition is not true: false, or NULL.  A table without rows
 * breaks every condition unless empty says otherwise.  False if the condition is wrong. */
bool gate_answer(const input_table *in, const char *condition, bool empty, table *out, notes *say);

#endif
