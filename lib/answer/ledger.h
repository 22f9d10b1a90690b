/*
 * ledger - where does the step go?
 *
 *     ledger_params p = { .mode = 1, .keys = LEDGER_BY_OWNER, .ranks = arrivals_new() };
 *     table answer = { 0 };
 *     ledger_answer(t, all, &p, &answer, say);   // rows of a process and GPU add up to the window
 *     table_free(&answer);
 *     arrivals_free(p.ranks);
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "answer/question.h"
#include "relate/arrivals.h"

enum { LEDGER_BY_OWNER = 1, LEDGER_BY_WHERE = 2, LEDGER_BY_NAME = 4 };

typedef struct {
	unsigned mode;          /* always 1, the only one */
	unsigned keys;          /* LEDGER_BY_... */
	const regex_t *match;   /* ranges that are the steps; NULL: those that are found */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt, captured;   /* as in ranges_around.h */
	arrivals *ranks;        /* of all traces of a call, or new */
} ledger_params;

question ledger_question(const ledger_params *p);
void ledger_columns(const ledger_params *p, table *out);
bool ledger_answer(trace *t, const windows *all, const ledger_params *p, table *out, notes *say);

extern const table_col ledger_all[];    /* every column of any mode */

#endif
