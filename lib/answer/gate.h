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
 * text is. */
bool gate_answer(const input_table *in, const char *condition, const gate_how *how, table *out, notes *say);

/* Does a condition that SQLite takes compare no number with a text, as far as its words tell?  False after a problem,
 * which says what to write instead.
 *
 * SQL sorts every number before every text, so such a comparison says nothing, and as a budget it is always kept.  An
 * error:
 *
 * - a text literal that begins with a digit, unless it is compared with a column of text by = <> IS IN, or with
 *   anything by LIKE or GLOB; and a blob;
 * - a column or literal that is a number directly beside one that is a text, with a comparison between them;
 * - a column of text that stands for true or false.
 */
bool gate_types(const read_table *t, const char *condition, notes *say);
