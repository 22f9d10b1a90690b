/*
 * streams - which streams compute, which communicate, and for what?
 *
 *     streams_params p = { .mode = 1, .rules = purposes };
 *     table answer = { 0 };
 *     streams_answer(t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef STREAMS_H
#define STREAMS_H

#include "answer/question.h"
#include "relate/rules.h"

typedef struct {
	unsigned mode;          /* there is one, 1 */
	const rules *rules;     /* of purposes */
	const regex_t *comm;    /* which kernels communicate; NULL: names that begin with nccl */
	bool adopt;             /* the main thread's ranges also hold other threads' work */
} streams_params;

question streams_question(const streams_params *p);
void streams_columns(const streams_params *p, table *out);
bool streams_answer(trace *t, const windows *all, const streams_params *p, table *out, notes *say);

extern const table_col streams_all[];

#endif
