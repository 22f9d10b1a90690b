/*
 * setup - who is in this trace?
 *
 *     setup_params p = { .mode = SETUP_PROCESSES };
 *     table answer = { 0 };
 *     setup_answer(t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef SETUP_H
#define SETUP_H

#include "answer/question.h"

enum { SETUP_PROCESSES = 1, SETUP_FACTS = 2 };

typedef struct {
	unsigned mode;          /* SETUP_PROCESSES: one row per process; SETUP_FACTS: key and value (facts.h) */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool all;               /* for SETUP_FACTS: list tables of enumerations too */
} setup_params;

question setup_question(const setup_params *p);
void setup_columns(const setup_params *p, table *out);
bool setup_answer(trace *t, const windows *all, const setup_params *p, table *out, notes *say);

extern const table_col setup_all[];

#endif
