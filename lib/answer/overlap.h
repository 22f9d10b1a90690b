/*
 * overlap - is communication hidden behind compute?
 *
 *     overlap_params p = { .mode = OVERLAP_TOTAL };
 *     table answer = { 0 };
 *     answer_rows(&overlap_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "answer/question.h"
#include "trace/rules.h"

enum { OVERLAP_SUMS = 1, OVERLAP_EACH = 2, OVERLAP_TOTAL = 4 };
enum { OVERLAP_BY_STAGE = 1, OVERLAP_BY_STREAM = 2, OVERLAP_BY_NAME = 4 };

typedef struct {
	unsigned mode;          /* OVERLAP_SUMS; OVERLAP_EACH: one row per kernel; OVERLAP_TOTAL: unions of all work */
	unsigned keys;          /* OVERLAP_BY_...: rows of OVERLAP_SUMS */
	const rules *rules;     /* for stages; not needed by OVERLAP_TOTAL */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} overlap_params;

extern const answer overlap_answer;

#endif
