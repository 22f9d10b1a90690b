/*
 * streams - which streams compute, which communicate, and for what?
 *
 *     streams_params p = { .mode = 1, .rules = purposes };
 *     table answer = { 0 };
 *     answer_rows(&streams_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef STREAMS_H
#define STREAMS_H

#include "answer/question.h"
#include "trace/rules.h"

typedef struct {
	unsigned mode;          /* always 1, the only one */
	const rules *rules;     /* for purposes */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} streams_params;

extern const answer streams_answer;

#endif
