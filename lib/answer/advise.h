/*
 * advise - what should be fixed first, and what would it win?
 *
 *     advise_params p = { .min_pct = 2, .stages = purposes, .job = advise_begin() };
 *     advise_add(t, all, &p, say);               // each trace with its windows; it can be freed afterwards
 *     table answer = { 0 };
 *     advise_answer(&p, &answer, say);           // of all of them
 *     table_free(&answer);
 *     advise_end(p.job);
 *
 * Every finding reads the answers of other tools about the steps; share/conventions/advise.md
 * says what each assumes, and why its bound is one.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "answer/question.h"
#include "relate/rules.h"

typedef struct advise_job advise_job;

typedef struct {
	unsigned mode;          /* always 1, the only one */
	const regex_t *match;   /* ranges that are the steps; NULL: those that are found */
	const char *match_text; /* the same as it was written, for the commands that are shown */
	const regex_t *comm;    /* names of communication kernels; NULL: those that begin with nccl */
	const char *comm_text;
	double min_pct;         /* leave out what would win less of a step */
	bool captured;          /* places in a replay are the ranges around the capture of its CUDA graph */
	const rules *stages;    /* of communication */
	advise_job *job;        /* what was added so far */
} advise_params;

advise_job *advise_begin(void);
void advise_end(advise_job *j);

question advise_question(const advise_params *p);
void advise_columns(const advise_params *p, table *out);
bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say);
bool advise_answer(const advise_params *p, table *out, notes *say);

extern const table_col advise_all[];

#endif
