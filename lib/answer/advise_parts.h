/*
 * advise_parts - what findings are made of: the steps of each process on each GPU, and sums over them.  For
 * lib/answer/advise*.c and findings_*.c alone.
 */
#ifndef ADVISE_PARTS_H
#define ADVISE_PARTS_H

#include "answer/advise.h"
#include "answer/nccl.h"

enum advise_kind {              /* at equal recover_ns, the first of these comes first */
	ADVISE_LOST, ADVISE_SHARED, ADVISE_UNKNOWN, ADVISE_SYNC, ADVISE_ALLOCATION, ADVISE_MODULES, ADVISE_PAGEABLE, ADVISE_GRAPH, ADVISE_HOST,
	ADVISE_COMM, ADVISE_LATE, ADVISE_STAGES, ADVISE_LONG, ADVISE_TENSOR, ADVISE_UNANNOTATED, ADVISE_KINDS
};

typedef struct {                /* the steps of a process on a GPU, in a window */
	uint32_t trace;         /* of job.traces */
	size_t list;            /* how many windows of the process came before: those of one number are one list */
	size_t first, n;        /* its steps, of job.steps; none: a process without GPU work */
	int64_t pid, sub, rank, gpu;
	const char *shown;      /* pid as it is shown, */
	const char *party;      /* and what nsq-nccl calls the process: its rank, or its pid */
	const char *window;     /* name of the window, or NULL */
	bool to_next;           /* its steps last up to the next one */
	bool steady;            /* the steps leave out the first; false: they include the start of the process or the loop */
	bool whole;             /* no steps were found, so it is all that the process does */
	bool repeats;           /* the steps were found by kernels that repeat, so they may be layers */
	bool lost;              /* its process lost events, so its numbers cannot be believed */
	bool pipeline;          /* does its label name several pipeline stages? */
	ival hull;
	int64_t period;         /* median length of its steps */
	int64_t compute;        /* median time of compute in them */
	const char *steps;      /* the command that shows them, up to the names of traces, */
	const char *alone;      /* the same for this process alone, with its trace, */
	const char *on_gpu;     /* and what a tool behind it must be told, if there are several GPUs: " -g 1", or "" */
	const char *looked_at;  /* the windows, process and trace, for tools that do not look at steps: " -p 7 run.sqlite" */
} advise_unit;

typedef struct {
	enum advise_kind kind;
	const char *of;         /* what tells findings of one kind apart: a stage, or NULL */
	size_t unit;
	int64_t recover;        /* per step; TABLE_MISSING: nothing can be won by it */
	int64_t weight;         /* where nothing can be won: of the units that have it, the one with most is shown */
	int64_t total;          /* of all steps together, where it is known step by step, */
	size_t with;            /* and how many of them have it */
	const char *text, *evidence;
	const char *advice;     /* NULL: that of the kind */
} advise_found;

typedef struct {                /* a part of the typical step that is not compute */
	size_t unit;
	int64_t ns;
	const char *what, *see; /* "idle by 'um'", and what shows it */
} advise_rest;

struct advise_job {
	vec(const char *) traces;
	vec(advise_unit) units;
	vec(int64_t) steps;     /* their lengths */
	vec(advise_found) found;
	vec(advise_rest) rest;
	nccl_job *nccl;
	arena texts;
};

typedef struct {                /* a trace whose findings are looked for */
	advise_job *job;
	const advise_params *p;
	trace *t;
	const windows *all;     /* those asked about */
	uint32_t *lane;         /* by unit of this trace */
	size_t first_unit, first_step;  /* of this trace, in the job */
	windows steps;          /* each on one GPU; its name is its number in job.steps */
	windows idle;           /* the idle time of each step, on both sides */
	vec(const char *) names;        /* by step of this trace */
	table causes;           /* idle time of the steps by cause and range */
	table stalls;           /* what compute waits for in them, by stage */
	table total;            /* unions of their work, by class */
	table own;              /* the steps as they are by themselves, once they have been asked for */
	table calls;            /* calls in that idle time, by name */
	notes *say;
} advise_trace;

/* ---- the steps: advise_steps.c */

/* Find the steps of the trace, and make units of them; false after a problem. */
bool advise_steps(advise_trace *x);

/* Add a unit without steps, for a process without GPU work.  After the findings, which look at the steps of all units. */
size_t advise_workless(advise_trace *x, uint32_t proc);

/* How long each step of a unit of this trace is by itself, where steps last up to the next one.  The caller frees it; NULL
 * after a problem. */
int64_t *advise_own_lengths(advise_trace *x, size_t unit);

/* Fill idle, and free it. */
void advise_idle(advise_trace *x);
void advise_idle_free(advise_trace *x);

/* The number in job.steps of the step that a row is about, and the unit of that. */
size_t advise_step_of(const table *rows, size_t row);
size_t advise_unit_of(const advise_job *j, size_t step);

/* ---- sums over rows: advise_sums.c */

/* A cell by the name of its column, which the table has. */
const table_cell *advise_cell(const table *t, size_t row, const char *column);

/* Which rows count; ctx is what the finding passes. */
typedef bool advise_wanted(const table *rows, size_t row, const void *ctx);

/* By step of this trace: the sum of a column over the rows that count.  The caller frees it. */
int64_t *advise_by_step(const advise_trace *x, const table *rows, const char *column, advise_wanted *wanted, const void *ctx);

/* By unit of this trace: the text of the key column with the largest sum, NULL if there is none.  The caller frees the
 * array; the texts are the table's. */
const char **advise_top(const advise_trace *x, const table *rows, const char *column, const char *key, advise_wanted *wanted,
			const void *ctx);

typedef struct {
	size_t unit;            /* of the job */
	const char *key;        /* - if there is none */
	int64_t median;         /* over the steps of the unit, */
	int64_t total;          /* the sum, */
	size_t with;            /* and how many of them have it */
} advise_part;

/* The medians of the sums of a column by the texts of another, over all steps that the rows are about.  The caller frees
 * the array; the texts are the table's. */
advise_part *advise_by_key(const advise_job *j, const table *rows, const char *column, const char *key, advise_wanted *wanted,
			   const void *ctx, size_t *n);

/* The median over the steps of a unit of this trace, and the sum. */
int64_t advise_median(const advise_trace *x, const int64_t *by_step, size_t unit);
int64_t advise_total(const advise_trace *x, const int64_t *by_step, size_t unit);
int64_t advise_median_of(const int64_t *v, size_t n);

/* What belongs together: of[i] leads to the first of those that i belongs to. */
size_t advise_first_of(const size_t *of, size_t i);
void advise_join(size_t *of, size_t a, size_t b);

/* For each of the rows of nsq-nccl --each whose communicator is known: its unit, and the first unit that has that one. */
void advise_communicators(const advise_job *j, const table *kernels, void (*met)(void *ctx, size_t unit, size_t first), void *ctx);

/* By step of this trace: the idle time in calls that load code (findings_idle.c).  The caller frees it. */
int64_t *advise_loading(const advise_trace *x);

/* ---- the rest of the typical step: advise_rest.c */

typedef vec(const advise_rest *) advise_rests;

/* Add the parts of the typical steps of this trace that are large enough. */
void advise_add_rest(const advise_trace *x);

/* Take those of some units (by unit) in which nothing was found, of each kind the largest. */
void advise_rest_take(const advise_job *j, advise_rests *to, const bool *units);

/* "; 43.70 % of a step is idle by 'um' (nsq-gaps --by cause), which no finding covers", or "". */
const char *advise_rest_text(advise_job *j, const advise_rests *rest);

/* ---- what is shown: advise_commands.c */

/* The name of a trace as a shell takes it, with a blank before it; it may begin with a dash. */
const char *advise_trace_word(arena *texts, const char *path);

/* Set the commands of a unit; period: do its steps last up to the next one? */
void advise_commands(const advise_trace *x, const window *asked, bool period, bool one_gpu, advise_unit *u);

/* " --comm REGEX" as it was given, or "". */
const char *advise_comm_option(const advise_params *p);

/* nsq-stalls --by stage as it was asked of a unit. */
const char *advise_stalls(const advise_trace *x, const advise_unit *u);

/* The command that shows the steps of several units; of all traces, where they are named alike. */
const char *advise_together(advise_job *j, const size_t *units, size_t n, bool all_traces);

/* The same of these processes alone: { COMMAND; COMMAND; } */
const char *advise_apart(advise_job *j, const size_t *units, size_t n);

/* A text of SQL that stands in "..." of a shell. */
const char *advise_sql_text(arena *texts, const char *s);

/* COMMANDS | nsq-sql "...": the step of a unit that has the median of a sum, which becomes the column recover_ns, or
 * another one; where may be "". */
const char *advise_median_row(advise_job *j, const advise_unit *u, const char *commands, const char *sum, const char *where);
const char *advise_median_row_as(advise_job *j, const advise_unit *u, const char *commands, const char *sum, const char *as,
				 const char *where);

/* The same of the union of the rows; and the sum of that over all steps, divided by their number and cut to the median step,
 * with another column before window. */
const char *advise_union_row(advise_job *j, const advise_unit *u, const char *commands);
const char *advise_union_share(advise_job *j, const advise_unit *u, const char *commands, const char *column);

/* Add a finding, if something can be won: at most the median step. */
void advise_find(advise_job *j, advise_found f);

/* The same of what is known by step of this trace: its median, sum and number of steps are filled in. */
void advise_find_by_step(const advise_trace *x, const int64_t *by_step, advise_found f);

static inline size_t advise_units(const advise_trace *x)
{
	return x->job->units.n - x->first_unit;
}

/* ---- the findings: each looks at one trace, or at a list of units of several */

typedef bool advise_of_trace(advise_trace *x);
typedef void advise_of_list(const advise_params *p, const table *kernels, const size_t *units, size_t n);

typedef struct {
	advise_of_trace *of_trace;      /* one of these two */
	advise_of_list *of_list;
	const char *advice;
} advise_finding;

extern const advise_finding advise_findings[ADVISE_KINDS];

/* How nsq-nccl is asked about each kernel. */
nccl_params advise_nccl(const advise_params *p);

/* findings_trust.c */
void find_lost_without_work(advise_trace *x);
advise_of_trace find_lost, find_shared, find_unknown, find_unannotated;
/* findings_idle.c */
advise_of_trace find_host, find_sync, find_graph, find_allocation, find_modules;
/* findings_steps.c */
advise_of_trace find_pageable, find_long, find_tensor;
/* findings_comm.c */
advise_of_trace find_comm;
/* findings_ranks.c; kernels are the rows of nsq-nccl --each */
advise_of_list find_late, find_stages;

#endif
