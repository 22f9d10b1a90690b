/*
 * marked - marks on a timeline: the findings of nsq-advise, each at one stretch of time, and the steps of nsq-window.
 *
 *     marked *m = marked_new(NULL, false, NULL);
 *     marked_add(m, t, all->v[0].gpu.v[0]);      // each trace; several traces need marked_survey first
 *     marked_end(m);
 *     for (size_t i = 0; i < m->findings.n; i++)
 *         printf("%lld: %s\n", (long long)m->findings.v[i].at.a, m->findings.v[i].finding);
 *     marked_free(m);
 *
 * A finding is about some owners of time (kinds of work or causes of idle time, step/owners.h), or about a flaw of
 * kernels (step/kernel_flaws.h).  It may name an NVTX range.  It is marked at the first of these that exists:
 * 1. the longest stretch of the owners or flaw in the named range;
 * 2. the longest stretch of the owners or flaw elsewhere;
 * 3. the longest idle stretch in the named range;
 * 4. the start of the finding's time, for example if the finding says that numbers cannot be trusted.
 *
 * Rules 1 to 3 look at all steps.  The typical step is the one that nsq-window picks, usually that with the median
 * period.  If the same rule also finds a stretch in this step alone, that one is preferred, provided that all stretches
 * that fit the rule there together last at least half as long as the time that a fix would save in a step.
 *
 * A finding about only some steps is marked in one of these steps: by rule 1 or, if rule 1 finds nothing in this step,
 * at the whole step.
 */
#pragma once

#include "answer/advise.h"

typedef struct {                /* a finding and its mark.  The texts live as long as the struct marked */
	const char *trace;
	int64_t pid, sub, gpu;  /* pid, sub: as in trace_proc; sub tells processes with the same pid apart */
	ival at;                /* the time that is marked, on the clock of the trace */
	const char *shown;      /* what the marked time is, in words; NULL: rules 1 to 3 found no stretch */
	const char *owners;     /* the owners that the finding is about, separated by blanks */
	const char *flaw;       /* the flaw of kernels that the finding is about; or NULL */
	const char *severity, *kind, *title, *finding, *advice, *evidence;
	int64_t recover_ns;     /* what a fix would save of a step on average, or of the run if `whole`, ns;
				 * TABLE_MISSING: it saves no time */
	double recover_pct;
	bool whole;             /* the finding is about the whole run, because there are no steps */
} marked_finding;

typedef struct {
	const char *trace, *name;
	int64_t pid, sub, number;
	ival gpu;               /* the time on the GPU, up to the next step if there is one */
	ival cpu;               /* the time on the CPU */
	bool typical;           /* is it a typical step? */
} marked_step;

typedef struct {                /* the longest stretch of an owner, or of kernels with a flaw, in a range of a step */
	const char *where;      /* the range; NULL: in no range */
	const char *owner;      /* the owner; "any": any owner; NULL: kernels with the flaw, whoever owns them */
	const char *flaw;       /* the flaw; NULL: `owner` says what the stretch is */
	bool idle;              /* is the owner one of idle time?  False for "any" */
	ival at;                /* the longest stretch */
	int64_t ns;             /* the sum of all stretches of the owner or flaw in the range of the step */
} marked_place;

typedef struct {
	advise_job *job;
	advise_params advice;
	table steps;            /* rows of nsq-window: all steps */
	table typical;          /* rows of nsq-window: the typical steps */
	table found;            /* rows of nsq-advise */
	size_t surveyed;        /* the number of traces that were surveyed */
	size_t added;           /* the number of traces that were added */
	vec(marked_place) places;       /* the stretches at which findings can be marked, unit by unit */
	vec(size_t) units;              /* by unit, a process on a GPU (advise_unit): one past the index of its last
					 * place */
	vec(marked_step) stepped;       /* the steps of all traces, in order of trace, process and time; filled by
					 * marked_add */
	vec(marked_finding) findings;   /* the findings, the most urgent first; filled by marked_end */
	arena texts;
} marked;

/* comm: kernels that communicate; captured: findings about replays of CUDA graphs name the ranges around the capture
 * (advise_params).  shared: the job (job.h) of all traces, if others use it too; NULL: marked makes its own. */
marked *marked_new(const load_comm_pattern *comm, bool captured, job *shared);
void marked_free(marked *m);    /* NULL is allowed */

/* What must be loaded of a trace (TRACE_...) before it is surveyed or added. */
unsigned marked_need(void);

/* Read what the choice of steps and findings needs to know of all traces.  If there are several traces, survey each of
 * them before the first is added. */
void marked_survey(marked *m, trace *t);

/* Add a trace.  Its findings are marked only in the time `within`, although they are about all steps. */
void marked_add(marked *m, trace *t, ival within);

/* List the findings, after all traces were added. */
void marked_end(marked *m);

/* The times of the typical steps of an added trace: the union of their times on the CPU and on the GPU.  The caller
 * frees the set. */
ival_set marked_typical_times(const marked *m, const trace *t);
