/*
 * advise_tables - the tables that findings query: the steps of each process on each GPU, their ledger and more.
 *
 *     advise_tables *a = advise_tables_new(NULL);
 *     advise_tables_params p = { .find_steps = NULL };            // a function that finds the steps
 *     advise_tables_add(a, t, &p, say);                           // each trace
 *     for (size_t i = 0; i < ADVISE_TABLES; i++)
 *         printf("%s: %zu rows\n", advise_table_name(i), table_rows(&a->tables[i]));
 *     advise_tables_free(a);
 *
 * A unit is a process on a GPU.  The ledger divides the time of each step among owners: kinds of work, and causes of
 * idle time (step/owners.h).  share/findings holds the queries; share/conventions/advise.md lists the tables.
 */
#pragma once

#include "answer/question.h"
#include "job/arrivals.h"
#include "job/late.h"

enum {
	ADVISE_UNITS, ADVISE_STEPS, ADVISE_LEDGER, ADVISE_LEDGER_SUMS, ADVISE_INSIDE, ADVISE_RUNS, ADVISE_COLLECTIVES,
	ADVISE_DOUBTS, ADVISE_LATE,
	ADVISE_TABLES
};

/* late_ns: the part of dur_ns that is due to a late rank.  In rows of that rank, it is the time by which it does more
 * than others; in rows of another rank, the time that this one loses by waiting. */
#define ADVISE_LEDGER_COLUMNS(X) \
	X(L_UNIT, "unit", 'i') X(L_STEP, "step", 'i') X(L_OWNER, "owner", 't') X(L_SYNCED, "synced", 'i') \
	X(L_WHERE, "where", 't') X(L_NAME, "name", 't') X(L_PAGEABLE, "pageable", 'i') X(L_REPLAYED, "replayed", 'i') \
	X(L_COMPILES, "compiles", 'i') X(L_CAPTURES, "captures", 'i') X(L_FIRST, "first", 'i') \
	X(L_SMALLCOPY, "smallcopy", 'i') X(L_WAITS, "waits", 'i') X(L_FAR, "far", 'i') \
	X(L_ASLEEP, "asleep", 'i') X(L_FLAW, "flaw", 't') X(L_WASTE, "waste_ns", 'i') \
	X(L_DUR, "dur_ns", 'i') X(L_COUNT, "count", 'i') X(L_LONG, "long", 'i') X(L_LATE, "late_ns", 'i') \
	X(L_SOURCE, "source", 't')
#define ADVISE_LATE_COLUMNS(X) \
	X(T_UNIT, "unit", 'i') X(T_WHERE, "where", 't') X(T_CAUSE, "cause", 't') X(T_LATE_STEPS, "late_steps", 'i') \
	X(T_NUMBERS, "numbers", 't') X(T_STEPS, "steps", 'i') X(T_EXPLAINED, "explained_ns", 'i') \
	X(T_STEP, "step", 'i') X(T_NAME, "name", 't') X(T_MORE, "more", 'i') X(T_MORE_NS, "more_ns", 'i')
enum { ADVISE_LEDGER_FIRST = COL_OWN - 1, ADVISE_LEDGER_COLUMNS(TABLE_ID) };
enum { ADVISE_LATE_FIRST = COL_OWN - 1, ADVISE_LATE_COLUMNS(TABLE_ID) };

typedef struct {                /* a process on a GPU: what rows about it show, and sums over its steps */
	const char *trace;      /* the path of its trace */
	const char *shown;      /* the process, as texts name it */
	int64_t pid, sub, rank, gpu;    /* rank -1: unknown */
	size_t proc;            /* number of its process in the job of all traces; SIZE_MAX: nothing in its trace
				 * communicates */
	uint32_t world;         /* number of the distributed run that its trace belongs to (job_world) */
	ival hull;              /* from the first start to the last end of its steps */
	size_t first;           /* the index in advise_tables.steps of its first step */
	size_t steps;           /* the number of its steps */
	bool whole;             /* no steps were found, so its one step is all GPU work of the process */
	bool unsure;            /* events were lost, calls failed, or clocks disagree: nobody knows why the GPU is
				 * idle */
	const char *little;     /* a text that counts its kernels, if it has no steps and these are too few to judge it
				 * (finding `little`); otherwise NULL */
	bool few;               /* it has fewer than 20 kernels in the whole trace and no whole graph, so no finding
				 * about it has a severity above low */
	bool paced;             /* its CPU waits for something other than the GPU for most of the time */
	bool communicates;      /* communication kernels run in its steps */
	bool torch;             /* names in its trace show that it uses PyTorch */
	int64_t typical;        /* length of the median step, ns */
	int64_t excess;         /* the time by which the profiler made the median step longer, ns; 0: unknown */
	int64_t period;         /* mean length of all steps, ns */
	struct {                /* sums over all steps, in ns except launches, as in advise_step_row (advise_gather.h);
				 * but cpu is without the time that the profiler adds */
		int64_t dur, busy, cpu, wait, launches, exposed, copies, slowed, mpi, graphs, asleep;
	} sum;
} advise_unit;

typedef struct {                /* a step; the steps of a unit are in order of time */
	size_t unit;            /* index in advise_tables.units */
	ival at;                /* from the start to the end of its GPU side */
	size_t first, n;        /* its n rows in the ledger begin at row `first` */
} advise_step;

typedef struct {
	table tables[ADVISE_TABLES];
	vec(advise_unit) units;
	vec(advise_step) steps; /* unit by unit */
	arrivals *ranks;        /* when the ranks of all traces arrive in collectives */
	shared_gpus *across;    /* which GPUs the processes of different traces share */
	vec(size_t) units_before;       /* by trace: the number of units of the traces before it */
	late *late;             /* which ranks are late */
	bool sources;           /* some rows of the ledger name the source of a launch (call_sources.h) */
	arena texts;
} advise_tables;

typedef struct {
	windows (*find_steps)(const void *ctx, notes *say);     /* finds the steps, as windows that the caller frees */
	const void *ctx;        /* passed to find_steps */
	steps_choice choice;    /* how steps are chosen */
	bool captured;          /* rows about a replay of a CUDA graph name the range around the graph's capture */
	int64_t step_time;      /* length of a step without a profiler, ns; 0: not known */
	const char *step_time_in;       /* the manifest of nsq-capture that gives the time of the run without a profiler
					 * (unprofiled.h); or NULL */
} advise_tables_params;

/* Free the result with advise_tables_free.  shared: the job of all traces, if other answers use it, too; NULL: make
 * one. */
advise_tables *advise_tables_new(job *shared);
void advise_tables_free(advise_tables *a);

/* The data (TRACE_...) of a trace that advise_tables_add needs. */
unsigned advise_tables_need(void);

/* In those rows of the tables ledger, inside, runs and collectives that name no range, copy the source of the launch to
 * the column `where`. */
void advise_tables_copy_sources(advise_tables *a);

/* Fill the table ledger_sums: the ledger, summed over the steps of a unit.  Most findings need only these sums, which
 * have far fewer rows. */
void advise_tables_sum_ledger(advise_tables *a);

/* Add the rows of a trace; false after a problem. */
bool advise_tables_add(advise_tables *a, trace *t, const advise_tables_params *p, notes *say);

/* Add what only all traces together show: GPUs that their processes share, and late ranks. */
void advise_tables_end(advise_tables *a);

/* Add only the late ranks (advise_late.c). */
void advise_tables_add_late(advise_tables *a);

const char *advise_table_name(size_t table);
