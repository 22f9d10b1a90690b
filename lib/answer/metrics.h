/*
 * metrics - how busy were the GPU's units?
 *
 *     metrics_params p = { .mode = METRICS_SUMS, .keys = METRICS_BY_NVTX };
 *     table answer = { 0 };
 *     answer_rows(&metrics_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef METRICS_H
#define METRICS_H

#include "answer/question.h"
#include "trace/rules.h"

enum { METRICS_SUMS = 1, METRICS_EACH = 2 };
enum { METRICS_BY_NAME = 1, METRICS_BY_NVTX = 2, METRICS_BY_STAGE = 4 };

typedef struct {
	unsigned mode;          /* METRICS_SUMS; METRICS_EACH: one row per sample and metric */
	unsigned keys;          /* METRICS_BY_...: rows of METRICS_SUMS by the kernels that ran; 0: one row per
				 * metric */
	const regex_t *match;   /* only metrics whose name matches; NULL: all */
	const rules *rules;     /* for METRICS_BY_STAGE */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} metrics_params;

extern const answer metrics_answer;

#endif
