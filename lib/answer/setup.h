/*
 * setup - who is in this trace?
 *
 *     setup_params p = { .mode = SETUP_PROCESSES };
 *     table answer = { 0 };
 *     answer_rows(&setup_answer, t, all, &p, &answer, say);
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

extern const answer setup_answer;

#endif
