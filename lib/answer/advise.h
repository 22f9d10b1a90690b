/*
 * advise - what should be fixed first, and what would it save?
 *
 *     advise_params p = { .mode = ADVISE_FINDINGS, .min_pct = 2, .only = ADVISE_EVERYTHING,
 *         .job = advise_begin(NULL) };
 *     advise_add(t, all, &p, say);               // each trace with its windows; it can be freed afterwards
 *     table answer = { 0 };
 *     advise_answer.finish(&p, &answer, say);    // of all of them
 *     table_free(&answer);
 *     advise_end(p.job);
 *
 * Findings are the queries of share/findings (findings.h); each says what it assumes.
 */
#pragma once

#include "answer/advise_tables.h"
#include "answer/inputs.h"
#include "base/text.h"

enum { ADVISE_FINDINGS = 1, ADVISE_VERDICT = 2 };

typedef struct advise_job advise_job;

typedef struct {                /* what of the traces is looked at: -w, -p and -g, which the evidence repeats */
	text_list windows;
	int64_t pid[2], gpu;    /* -1: all; the second of pid as in window_filter */
} advise_only;

#define ADVISE_EVERYTHING { .pid = { -1, -1 }, .gpu = -1 }

typedef struct {
	unsigned mode;          /* ADVISE_FINDINGS; ADVISE_VERDICT: what bounds each process and GPU */
	steps_choice choice;    /* of the steps */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	double min_pct;         /* leave out what would save less of a step */
	int64_t step_time;      /* how long a step takes without a profiler; 0: not known */
	const char *step_time_text;
	const char *step_time_in;       /* instead: the manifest of nsq-capture that tells it (unprofiled.h); or NULL */
	bool captured;          /* places in a replay are the ranges around the capture of its CUDA graph */
	table *verdicts;        /* with ADVISE_FINDINGS: gets the rows of ADVISE_VERDICT, too; or NULL */
	const char *folders;    /* of findings besides the built-in ones, separated by colons, or NULL */
	advise_only only;
	advise_job *job;        /* what was added so far */
} advise_params;

/* of: the job of all traces, which others ask too; NULL: one of its own. */
advise_job *advise_begin(job *of);
void advise_end(advise_job *j);

bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say);

/* The steady steps of the traces that were surveyed; NULL: none was. */
const table *advise_steps(advise_job *j, const steps_choice *choice);

typedef struct {                /* what its columns do not say of a row */
	size_t title;           /* length of that with which its finding begins; then come ": " and words, or nothing */
	ival step;              /* of a finding about some steps: of those it names the one to look at; else empty */
	const char *owners;     /* of the time that it is about, separated by blanks; */
	const char *flaw;       /* or the flaw of kernels, or NULL */
	bool across;            /* is it about several processes, which it names itself? */
} advise_about;

const advise_about *advise_row(const advise_job *j, size_t row);

/* The rows of one finding, or of a table that findings share, about traces that have not been added yet. */
bool advise_finding(const inputs *in, const char *name, const advise_params *p, table *out, notes *say);

/* The verdict, after advise_answer: a sentence about each job and each process that is in none, but of many a few.
 * shares: without the length of a step; else as it is said. */
const char *const *advise_sentences(const advise_job *j, bool shares, size_t *n);

/* What the findings were made of. */
advise_tables *advise_tables_of(const advise_job *j);

void advise_unit_row(table *out, const advise_unit *u);

extern const answer advise_answer;
