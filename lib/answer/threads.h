/*
 * threads - what do the CPU threads do?
 *
 *     threads_params p = { .mode = THREADS_SUMS };
 *     table answer = { 0 };
 *     answer_rows(&threads_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef THREADS_H
#define THREADS_H

#include "answer/question.h"

enum { THREADS_SUMS = 1, THREADS_OS = 2, THREADS_SAMPLES = 4, THREADS_STACKS = 8 };

typedef struct {
	unsigned mode;          /* THREADS_SUMS: one row per thread; THREADS_OS: OS calls by name; THREADS_SAMPLES:
				 * by function; THREADS_STACKS: by call chain */
} threads_params;

extern const answer threads_answer;

/* A row of THREADS_STACKS: its call chain, as flame graphs want it, and in how many samples it is. */
const char *threads_stack(const table *rows, size_t row, int64_t *samples);

#endif
