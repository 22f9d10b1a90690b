/*
 * copies - what data moves, and how fast; and how much memory is allocated?
 *
 *     copies_params p = { .mode = COPIES_SUMS, .keys = COPIES_BY_KIND };
 *     table answer = { 0 };
 *     answer_rows(&copies_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef COPIES_H
#define COPIES_H

#include "answer/question.h"

#include <regex.h>

enum { COPIES_SUMS = 1, COPIES_EACH = 2, COPIES_USAGE = 4, COPIES_FAULTS = 8 };

enum {
	COPIES_BY_KIND = 1, COPIES_BY_SRC = 2, COPIES_BY_DST = 4, COPIES_BY_PID = 8, COPIES_BY_GPU = 16,
	COPIES_BY_STREAM = 32, COPIES_BY_NVTX = 64, COPIES_BY_CALL = 128
};

typedef struct {
	unsigned mode;          /* COPIES_SUMS; COPIES_EACH: one row per copy or set; COPIES_USAGE: allocations;
				 * COPIES_FAULTS: page faults of unified memory */
	unsigned keys;          /* COPIES_BY_...: rows of COPIES_SUMS */
	const regex_t *match;   /* only copies whose "KIND SRC DST" matches; NULL: all */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool no_waits;          /* COPIES_EACH: nobody reads call, call_ns, wait_ns and waiter, which stay missing */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} copies_params;

extern const answer copies_answer;

#endif
