/*
 * find - where is it: the events of a name, or all that happens at a moment.
 *
 *     find_params p = { .mode = FIND_AT, .kinds = FIND_ALL, .at = FIND_AT_START };
 *     table answer = { 0 };
 *     answer_rows(&find_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef FIND_H
#define FIND_H

#include "answer/question.h"

enum { FIND_NAME = 1, FIND_AT = 2 };
enum find_moment { FIND_AT_TIME, FIND_AT_START, FIND_AT_END };
enum {
	FIND_KERNEL = 1, FIND_GRAPH = 2, FIND_COPY = 4, FIND_SET = 8, FIND_CALL = 16, FIND_RANGE = 32, FIND_MARK = 64,
	FIND_OS = 128, FIND_MPI = 256, FIND_ALL = 511
};

typedef struct {
	unsigned mode;          /* FIND_NAME, or FIND_AT: what runs or is open at a moment */
	unsigned kinds;         /* FIND_...: events of these kinds */
	const regex_t *match;   /* for FIND_NAME */
	enum find_moment at;    /* for FIND_AT: a time, or each window's own start or end */
	int64_t time_ns;        /* FIND_AT_TIME */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} find_params;

extern const answer find_answer;

#endif
