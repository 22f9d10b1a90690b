/*
 * marked - marks on a timeline: the findings of nsq-advise, each at its place, and the steps of nsq-window.
 *
 *     marked *m = marked_new(NULL, false, NULL);
 *     marked_add(m, t, all->v[0].gpu.v[0]);      // each trace; several traces need marked_survey first
 *     marked_end(m);
 *     for (size_t i = 0; i < m->findings.n; i++)
 *         printf("%lld: %s\n", (long long)m->findings.v[i].at.a, m->findings.v[i].finding);
 *     marked_free(m);
 *
 * A finding is about some owners of time or a flaw of kernels, and may name an NVTX range.  It is marked at the first
 * of these that exists:
 * 1. the longest stretch of the owners or flaw in the named range;
 * 2. the longest stretch of the owners or flaw in other ranges;
 * 3. the longest idle stretch in the named range;
 * 4. the start of the finding's time, for example if the finding says that numbers cannot be trusted.
 * The stretch is taken from the typical step if the same rule holds there and such stretches of the step last at least
 * half as long as what the finding would save per step; otherwise from anywhere.  A finding about only some steps is
 * marked in one of them, by rule 1 or else at the whole step.
 */
#pragma once

#include "answer/advise.h"

typedef struct {                /* its texts live as long as the struct marked */
	const char *trace;
	int64_t pid, sub, gpu;
	ival at;                /* on the clock of its trace */
	const char *shown;      /* what is at that time, in words; NULL: there is no stretch for the finding */
	const char *owners;     /* the owners that the finding is about, separated by blanks; or NULL */
	const char *flaw;       /* the flaw of kernels that the finding is about; or NULL */
	const char *severity, *kind, *title, *finding, *advice, *evidence;
	int64_t recover_ns;     /* TABLE_MISSING: the finding saves no time */
	double recover_pct;
	bool whole;             /* the finding is about the whole run, because there are no steps */
} marked_finding;

typedef struct {
	const char *trace, *name;
	int64_t pid, sub, number;
	ival gpu, cpu;          /* gpu: up to the next step, if there is one */
	bool typical;
} marked_step;

typedef struct {                /* the longest stretch of an owner, or of kernels with a flaw, in a range of a step */
	const char *where;
	const char *owner;      /* "any": any owner; NULL: kernels with the flaw, whoever owns them */
	const char *flaw;       /* or NULL */
	bool idle;
	ival at;
	int64_t ns;             /* the sum of all such stretches in the range */
} marked_place;

typedef struct {
	advise_job *job;
	advise_params advice;
	table steps, typical, found;    /* rows of nsq-window and nsq-advise */
	size_t surveyed, added; /* the numbers of traces that were surveyed and added */
	vec(marked_place) places;       /* in the order of the units of the advice */
	vec(size_t) units;              /* by unit of the advice (advise_unit): the end of its places */
	vec(marked_step) stepped;       /* filled by marked_add, in order of trace, process and time */
	vec(marked_finding) findings;   /* filled by marked_end, the most urgent first */
	arena texts;
} marked;

/* comm, captured: as for nsq-advise.  of: the job of all traces, if others use it too; NULL: marked makes its own. */
marked *marked_new(const load_comm *comm, bool captured, job *of);
void marked_free(marked *m);    /* NULL is allowed */

/* The needs (TRACE_...) that must be loaded. */
unsigned marked_need(void);

void marked_survey(marked *m, trace *t);

/* in: only stretches in this time are candidates for marks, although findings are about all steps. */
void marked_add(marked *m, trace *t, ival in);
void marked_end(marked *m);

/* The time of the typical steps of an added trace, on the CPU or on the GPU.  The caller frees the set. */
ival_set marked_typical(const marked *m, const trace *t);
