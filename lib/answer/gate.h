/*
 * gate - which rows of a table break a condition?
 *
 *     table answer = { 0 };
 *     if (gate_answer(&in, "idle_pct < 5", &(gate_how){ 0 }, &answer, say))
 *         printf("%zu rows\n", table_rows(&answer));     // with rows, say holds a problem with EXIT_BROKEN
 *     table_free(&answer);
 */
#pragma once

#include "answer/inputs.h"

typedef struct {
	bool allow_empty;       /* may the table have no rows? */
	int64_t max_rows;       /* the most rows that the answer may have; more are an error; 0: no limit */
} gate_how;

/* Add the rows of `in`, unchanged, that break the SQL condition: it is false or NULL for them.  Without rows, `in`
 * breaks every condition, unless how->allow_empty is set.  False if the condition is wrong, for example because it
 * compares a number with a text, or if more than how->max_rows break it. */
bool gate_answer(const input_table *in, const char *condition, const gate_how *how, table *out, notes *say);

/* Look for comparisons of a number with a text in a condition that SQLite accepts.  False after a problem, which says
 * what to write instead.
 *
 * SQL sorts every number before every text, so such a comparison says nothing about the number: idle_pct < '5' is
 * always true.  These are errors:
 *
 * - a text literal that begins with a digit (after blanks, a sign or a point), unless it is compared with a column of
 *   text by = <> IS IN, is a pattern after LIKE, GLOB or ESCAPE, or is a path after -> or ->>;
 * - a blob;
 * - a comparison of a number with a text, if both are columns or literals and stand directly beside its operator.  But
 *   a column of text may be compared with a number by = <> IS, since SQLite then compares texts;
 * - a comparison of true or false with a text;
 * - a column of text that is used as true or false.
 */
bool gate_types_check(const read_table *t, const char *condition, notes *say);
