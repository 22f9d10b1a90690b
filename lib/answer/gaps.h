/*
 * gaps - when is the GPU idle, and who is to blame?
 *
 *     gaps_params p = { .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE };
 *     table answer = { 0 };
 *     answer_rows(&gaps_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef GAPS_H
#define GAPS_H

#include "answer/question.h"

enum { GAPS_SUMS = 1, GAPS_EACH = 2 };
enum { GAPS_BY_CAUSE = 1, GAPS_BY_NVTX = 2, GAPS_BY_GPU = 4, GAPS_BY_SOURCE = 8 };

typedef struct {
	unsigned mode;          /* GAPS_SUMS: idle time; GAPS_EACH: one row per gap, longest first */
	unsigned keys;          /* GAPS_BY_...: rows of GAPS_SUMS; GAPS_BY_GPU cannot be combined */
	int64_t min_ns;         /* shortest gap that GAPS_EACH lists */
	unsigned kernels;       /* copies and sets do not make the GPU busy */
	bool captured;          /* gaps inside a replay of a CUDA graph are in the ranges around its capture */
} gaps_params;

extern const answer gaps_answer;

#endif
