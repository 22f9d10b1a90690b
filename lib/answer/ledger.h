/*
 * ledger - where does the step go?
 *
 *     ledger_params p = { .mode = LEDGER_SUMS, .keys = LEDGER_BY_OWNER };
 *     table answer = { 0 };
 *     answer_rows(&ledger_answer, t, all, &p, &answer, say);   // rows of a process and GPU add up to the window
 *     table_free(&answer);
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "answer/question.h"
#include "relate/arrivals.h"

enum { LEDGER_SUMS = 1, LEDGER_EACH = 2 };
enum { LEDGER_BY_OWNER = 1, LEDGER_BY_WHERE = 2, LEDGER_BY_NAME = 4 };

typedef struct {
	unsigned mode;          /* LEDGER_SUMS: time; LEDGER_EACH: one row per stretch, in order */
	unsigned keys;          /* LEDGER_BY_...: rows of LEDGER_SUMS */
	const regex_t *match;   /* ranges that are the steps; NULL: those that are found */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt, captured;   /* as in ranges_around.h */
	arrivals *ranks;        /* of all traces of a call; NULL: each trace alone */
} ledger_params;

extern const answer ledger_answer;

#endif
