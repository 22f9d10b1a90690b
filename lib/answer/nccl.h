/*
 * nccl - what does each collective move, how fast, and who keeps whom waiting?
 *
 *     nccl_params p = { .mode = NCCL_STRAGGLERS, .job = nccl_begin() };
 *     table answer = { 0 };
 *     answer_rows(&nccl_answer, t, all, &p, &answer, say);       // each trace, with its windows; it can then be freed
 *     nccl_answer.finish(&p, &answer, say);      // the rows of all of them together
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
	const regex_t *match;   /* for NCCL_STRAGGLERS: the ranges that are the steps; NULL: those that are found */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	nccl_job *job;          /* what was added so far */
} nccl_params;

nccl_job *nccl_begin(void);
void nccl_end(nccl_job *j);

extern const answer nccl_answer;

#endif
