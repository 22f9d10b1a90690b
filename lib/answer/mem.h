/*
 * mem - what data moves, and how fast?
 *
 *     mem_params p = { .mode = MEM_SUMS, .keys = MEM_BY_KIND };
 *     table answer = { 0 };
 *     mem_answer(t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef MEM_H
#define MEM_H

#include "answer/question.h"

enum { MEM_SUMS = 1, MEM_EACH = 2 };

enum {
	MEM_BY_KIND = 1, MEM_BY_SRC = 2, MEM_BY_DST = 4, MEM_BY_PID = 8, MEM_BY_GPU = 16, MEM_BY_STREAM = 32,
	MEM_BY_NVTX = 64
};

typedef struct {
	unsigned mode;          /* MEM_SUMS; MEM_EACH: one row per copy or set */
	unsigned keys;          /* MEM_BY_...: rows of MEM_SUMS */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
} mem_params;

question mem_question(const mem_params *p);
void mem_columns(const mem_params *p, table *out);
bool mem_answer(trace *t, const windows *all, const mem_params *p, table *out, notes *say);

extern const table_col mem_all[];       /* every column of any mode */

#endif
