/*
 * advise_tables - what findings are made of: the steps of each process on each GPU, their ledger, and what it does not say.
 *
 *     advise_tables *a = advise_tables_new();
 *     advise_tables_add(a, t, all, &(advise_tables_params){ .step_time = 0 }, say);    // each trace; it can be freed afterwards
 *     for (size_t i = 0; i < ADVISE_TABLES; i++)
 *         printf("%s: %zu rows\n", advise_table_name(i), table_rows(&a->tables[i]));
 *     advise_tables_free(a);
 *
 * A unit is a process on a GPU.  share/findings holds the queries; share/conventions/advise.md lists the tables.
 */
#ifndef ADVISE_TABLES_H
#define ADVISE_TABLES_H

#include "answer/question.h"
#include "relate/arrivals.h"

enum {
	ADVISE_UNITS, ADVISE_STEPS, ADVISE_LEDGER, ADVISE_INSIDE, ADVISE_RUNS, ADVISE_COLLECTIVES, ADVISE_DOUBTS,
	ADVISE_TABLES
};

typedef struct {                /* what a finding is shown with, and what the verdict is made of */
	const char *trace, *shown;
	int64_t pid, sub, rank, gpu;
	ival hull;
	size_t steps;
	bool whole;             /* no steps were found: it is all that the process does */
	bool lost;              /* its process lost events */
	bool communicates;
	int64_t typical;        /* length of the median step, */
	int64_t excess;         /* and by how much a profiler made it longer, as far as is known */
	int64_t period;         /* mean of all steps */
	struct {                /* over all steps; exposed and copies: beside no compute; slowed: what a profiler can have added */
		int64_t dur, busy, cpu, wait, launches, exposed, copies, slowed;
	} sum;
} advise_unit;

typedef struct {
	table tables[ADVISE_TABLES];
	vec(advise_unit) units;
	arrivals *ranks;
	shared_gpus *across;    /* of all traces, */
	vec(size_t) first;      /* and by trace: the first of its units, or what would be */
	arena texts;
} advise_tables;

typedef struct {
	const regex_t *match;   /* the ranges that are the steps; NULL: those that are found */
	bool adopt, captured;
	int64_t step_time;      /* length of a step without a profiler; 0: not known */
} advise_tables_params;

advise_tables *advise_tables_new(void);
void advise_tables_free(advise_tables *a);

/* What must be loaded. */
unsigned advise_tables_need(void);

/* False after a problem. */
bool advise_tables_add(advise_tables *a, trace *t, const windows *steps, const advise_tables_params *p, notes *say);

/* Add what only all traces together tell: GPUs that their processes share. */
void advise_tables_end(advise_tables *a);

const char *advise_table_name(size_t table);

#endif
