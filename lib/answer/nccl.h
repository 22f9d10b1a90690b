/*
 * nccl - what does each collective move, how fast, and who keeps whom waiting?
 *
 *     nccl_params p = { .mode = NCCL_STRAGGLERS, .job = nccl_begin() };
 *     nccl_add(t, all, &p, say);                 // each trace with its windows; it can be freed afterwards
 *     table answer = { 0 };
 *     nccl_answer(&p, &answer, say);             // of all of them together
 *     table_free(&answer);
 *     nccl_end(p.job);
 */
#ifndef NCCL_H
#define NCCL_H

#include "answer/question.h"
#include "relate/job_match.h"
#include "trace/rules.h"

enum { NCCL_SUMS = 1, NCCL_EACH = 2, NCCL_STRAGGLERS = 4 };
enum { NCCL_BY_COMM = 1, NCCL_BY_OP = 2, NCCL_BY_BYTES = 4, NCCL_BY_STAGE = 8, NCCL_BY_PID = 16 };

typedef struct nccl_job nccl_job;

typedef struct {
	unsigned mode;          /* NCCL_SUMS; NCCL_EACH: one row per kernel; NCCL_STRAGGLERS: one per process */
	unsigned keys;          /* NCCL_BY_...: rows of NCCL_SUMS */
	unsigned clock;         /* enum job_clock */
	const rules *rules;     /* for NCCL_BY_STAGE */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	nccl_job *job;          /* what was added so far */
} nccl_params;

nccl_job *nccl_begin(void);
void nccl_end(nccl_job *j);

question nccl_question(const nccl_params *p);
void nccl_columns(const nccl_params *p, table *out);
bool nccl_add(trace *t, const windows *all, const nccl_params *p, notes *say);
bool nccl_answer(const nccl_params *p, table *out, notes *say);

extern const table_col nccl_all[];      /* every column of any mode */

#endif
