/*
 * nvtx - where does the time go, by annotation?
 *
 *     nvtx_params p = { .mode = NVTX_TREE, .warn_below = 70 };
 *     table answer = { 0 };
 *     answer_rows(&nvtx_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef NVTX_H
#define NVTX_H

#include "answer/question.h"
#include "trace/rules.h"

enum { NVTX_SUMS = 1, NVTX_EACH = 2, NVTX_TREE = 4, NVTX_PHASES = 8 };

typedef struct {
	unsigned mode;          /* NVTX_SUMS: by domain and name; NVTX_EACH: one row per range; NVTX_TREE: the
				 * hierarchy; NVTX_PHASES: by label */
	const rules *phases;    /* for NVTX_PHASES */
	const regex_t *match;   /* for NVTX_SUMS and NVTX_EACH: only ranges whose name matches; NULL: all */
	bool exact;             /* keep the digits of names instead of folding them */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	int64_t levels;         /* for NVTX_TREE and NVTX_EACH: only ranges of a smaller depth; 0: all */
	int64_t warn_below;     /* add a remark if less than this percentage of the GPU time is in ranges */
} nvtx_params;

extern const answer nvtx_answer;

#endif
