/*
 * window - which moments should we look at?
 *
 *     window_params p = { .mode = WINDOW_PICK, .pick = WINDOW_MIDDLE };
 *     table answer = { 0 };
 *     window_answer(t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef ANSWER_WINDOW_H
#define ANSWER_WINDOW_H

#include "answer/question.h"

enum { WINDOW_PICK = 1, WINDOW_LIST = 2 };

enum window_pick {
	WINDOW_MIDDLE, WINDOW_FIRST, WINDOW_LAST, WINDOW_LONGEST, WINDOW_SHORTEST, WINDOW_ALL,
	WINDOW_INDEX            /* the one with number .index */
};

typedef struct {
	unsigned mode;          /* WINDOW_PICK: steps; WINDOW_LIST: the names of ranges */
	const regex_t *match;   /* ranges to choose from; NULL: find the steps */
	enum window_pick pick;
	int64_t index;
	bool cpu;               /* the range's own CPU times instead of its work on the GPU */
	bool period;            /* end each window where the next begins */
} window_params;

/* Read the argument of --pick; false if it is wrong. */
bool window_pick_named(const char *text, window_params *p);

question window_question(const window_params *p);
void window_columns(const window_params *p, table *out);
bool window_answer(trace *t, const windows *all, const window_params *p, table *out, notes *say);

extern const table_col window_all[];    /* every column of any mode */

#endif
