/*
 * marked - what is marked on a timeline: the findings of nsq-advise, each where it shows, and the steps of nsq-window.
 *
 *     marked *m = marked_new(NULL, false, NULL);
 *     marked_add(m, t, all->v[0].gpu.v[0]);      // each trace; of several, after marked_survey of each
 *     marked_end(m);
 *     for (size_t i = 0; i < m->findings.n; i++)
 *         printf("%lld: %s\n", (long long)m->findings.v[i].at.a, m->findings.v[i].finding);
 *     marked_free(m);
 *
 * A finding is marked at the longest stretch that the ledger gives to what it is about, in the range that it names: in
 * the typical step if that has half of what it would save, else anywhere; where there is none, as of what makes numbers
 * untrustworthy, at the first step.  A finding about some steps is marked in one of these: in its range, or all of it.
 */
#pragma once

#include "answer/advise.h"

typedef struct {                /* texts live as long as what holds it */
	const char *trace;
	int64_t pid, sub, gpu;
	ival at;                /* on the clock of its trace, */
	const char *shown;      /* and what is there; NULL: nothing that it is about */
	const char *owners;     /* of the time that it is about, separated by blanks; */
	const char *flaw;       /* or the flaw of kernels, or NULL */
	const char *severity, *kind, *title, *finding, *advice, *evidence;
	int64_t recover_ns;     /* TABLE_MISSING: nothing can be won by it */
	double recover_pct;
	bool whole;             /* there are no steps: it is about the whole run */
} marked_finding;

typedef struct {
	const char *trace, *name;
	int64_t pid, sub, number;
	ival gpu, cpu;          /* gpu: up to the next step */
	bool typical;
} marked_step;

typedef struct {                /* the longest stretch of an owner, or of kernels with a flaw, in a range of a step */
	const char *where;
	const char *owner;      /* any: whatever it is; NULL: those with the flaw, whoever owns them */
	const char *flaw;       /* or NULL */
	bool idle;
	ival at;
	int64_t ns;             /* of all its stretches there */
} marked_place;

typedef struct {
	advise_job *job;
	advise_params advice;
	table steps, typical, found;    /* rows of nsq-window and nsq-advise */
	size_t surveyed, added; /* how many traces */
	vec(marked_place) places;       /* unit by unit, */
	vec(size_t) units;              /* and by unit of the advice: where its places end */
	vec(marked_step) stepped;       /* from marked_add on: by trace, process, time, */
	vec(marked_finding) findings;   /* and what to fix first */
	arena texts;
} marked;

/* comm, captured: as for nsq-advise. */
/* of: the job of all traces, which others ask too; NULL: one of its own. */
marked *marked_new(const load_comm *comm, bool captured, job *of);
void marked_free(marked *m);    /* NULL is allowed */

/* What must be loaded. */
unsigned marked_need(void);

void marked_survey(marked *m, trace *t);

/* in: the time in which findings are marked, though they are about all steps. */
void marked_add(marked *m, trace *t, ival in);
void marked_end(marked *m);

/* The typical steps of a trace that was added, both sides; the caller frees it. */
ival_set marked_typical(const marked *m, const trace *t);
