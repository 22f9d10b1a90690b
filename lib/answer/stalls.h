/*
 * stalls - when nothing computes, what was the next compute kernel waiting for?
 *
 *     stalls_params p = { .mode = STALLS_SUMS };
 *     table answer = { 0 };
 *     answer_rows(&stalls_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef STALLS_H
#define STALLS_H

#include "answer/question.h"
#include "trace/rules.h"

enum { STALLS_SUMS = 1, STALLS_EACH = 2 };
enum { STALLS_BY_CAUSE = 1, STALLS_BY_PRODUCER = 2, STALLS_BY_STAGE = 4, STALLS_BY_NVTX = 8 };

typedef struct {
	unsigned mode;          /* STALLS_SUMS; STALLS_EACH: one row per stretch without compute, longest first */
	unsigned keys;          /* STALLS_BY_...: rows of STALLS_SUMS */
	const rules *rules;     /* for stages */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} stalls_params;

/* Does it look at ranges, and at stages? */
bool stalls_ranges(const stalls_params *p);
bool stalls_stages(const stalls_params *p);

extern const answer stalls_answer;

#endif
