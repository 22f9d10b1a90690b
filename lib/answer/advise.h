/*
 * advise - what should be fixed first, and what would it save?
 *
 *     advise_params p = { .mode = ADVISE_FINDINGS, .min_pct = 2, .only = ADVISE_EVERYTHING,
 *         .job = advise_begin(NULL) };
 *     advise_add(t, all, &p, say);               // each trace with its windows; the trace can be freed then
 *     table answer = { 0 };
 *     advise_answer.finish(&p, &answer, say);    // the findings of all traces
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

typedef struct {                /* the part of the traces that is looked at (-w, -p, -g); the column `evidence` repeats
				 * these options */
	text_list windows;      /* the values of -w */
	int64_t pid[2];         /* of -p: the pid, or -1 for all; and the N of PID:N, or -1 if there is no N */
	int64_t gpu;            /* -1: all */
} advise_only;

#define ADVISE_EVERYTHING { .pid = { -1, -1 }, .gpu = -1 }

typedef struct {
	unsigned mode;          /* ADVISE_FINDINGS: what should be fixed first; ADVISE_VERDICT: what bounds each process
				 * and GPU */
	steps_choice choice;    /* how steps are chosen */
	const load_comm_pattern *comm;    /* kernels that communicate; NULL: those of the built-in list */
	double min_pct;         /* leave out findings that would save less than this, in percent of the mean step */
	int64_t step_time;      /* length of a step without a profiler, ns; 0: not known */
	const char *step_time_text;     /* the value of --step-time; or NULL */
	const char *step_time_in;       /* the manifest of nsq-capture that gives the time of the run without a profiler
					 * (unprofiled.h); or NULL */
	bool captured;          /* a finding about a replay of a CUDA graph names the range around the capture of the
				 * graph */
	table *verdicts;        /* with ADVISE_FINDINGS: a table that gets the rows of ADVISE_VERDICT; or NULL */
	const char *folders;    /* folders of findings besides the built-in ones, separated by colons, or NULL */
	advise_only only;
	advise_job *job;        /* the traces added so far */
} advise_params;

/* Free the result with advise_end.  shared: the job of all traces, if other answers use it, too; NULL: make one. */
advise_job *advise_begin(job *shared);
void advise_end(advise_job *j);

/* Add a trace to p->job, with its steps in these windows.  False after a problem. */
bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say);

/* The rows of the steady steps that advise_answer.survey found in all traces; NULL: it found none. */
const table *advise_steps(advise_job *j, const steps_choice *choice);

typedef struct {                /* facts about a row that its columns do not show */
	size_t title;           /* length of the title with which the column `finding` begins; the title is followed by
				 * ": " and more words, or by "; assumes ", or by nothing */
	ival step;              /* the step that shows the finding best; empty if the finding is about all steps */
	const char *owners;     /* the names of the owners (enum owner, step/owners.h) of the time that the finding is
				 * about, separated by blanks */
	const char *flaw;       /* the flaw of kernels (step/kernel_flaws.h) that the finding is about; or NULL */
	bool across;            /* the finding is about several processes (finding.across), and its text names them */
} advise_about;

/* row: the number of the row in the answer. */
const advise_about *advise_about_row(const advise_job *j, size_t row);

/* Add the rows of one finding, or of a table that findings share (findings.h).  This opens the traces of `in` itself,
 * and does not use p->job.  False after a problem. */
bool advise_run_one_finding(const inputs *in, const char *name, const advise_params *p, table *out, notes *say);

/* The verdict, after advise_answer.finish: `*n` sentences, one about each job and one about each process outside a job.
 * If there are many, one sentence counts those that are left out.  shares: each time comes with its percentage of the
 * step; otherwise with the length of the step. */
const char *const *advise_sentences(const advise_job *j, bool shares, size_t *n);

/* The tables from which the findings were made. */
advise_tables *advise_tables_of(const advise_job *j);

/* Add a row with the columns that say which unit (a process on a GPU) it is about, and the number of its steps. */
void advise_add_unit_row(table *out, const advise_unit *u);

extern const answer advise_answer;
