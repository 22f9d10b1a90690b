/*
 * late_steps - what each process of a trace does in each of its steps, besides communicating: what late.h compares.
 *
 *     const late_steps *of = late_steps_of(t, &(steps_choice){ 0 }, false);
 *     printf("%zu steps of the first process\n", of->first[1]);
 *
 * The result depends only on its trace, so several traces can be read at the same time.
 */
#pragma once

#include "base/group.h"
#include "base/memory.h"
#include "step/owners.h"

typedef struct {                /* the sum over one step of all time with one owner (step/owners.h), range and name */
	uint32_t key;           /* the number of owner, range and name in late_steps.keys */
	uint32_t count;         /* number of pieces of work or, for an owner of idle time, of gaps */
	int64_t ns;
} late_cell;

typedef struct {
	int64_t start;          /* when the step starts on the GPU */
	ival at;                /* what counts as the step: from the moment when the GPU falls idle before it to the
				 * moment when the GPU falls idle before the next step; empty if there is no next
				 * step */
	int64_t period, length, busy;   /* ns to the next step's start, of the step, and of its compute and copies;
					 * STEADY_NONE: unknown (steady_list, step/steady.h) */
	int64_t number;         /* the number in its name, or its index (step.number, step/steps.h) */
	size_t first, n;        /* its cells, in late_steps.cells */
} late_step;

enum { LATE_OWNER, LATE_WHERE, LATE_NAME, LATE_KEYS };  /* the columns of a key: an owner, and two strings of the trace
							 * or STR_NONE */
#define LATE_BETWEEN INT64_C(-1)       /* LATE_NAME for time that the GPU needs between two pieces of work */

typedef struct late_steps {
	size_t *first;          /* by process: the index of its first step; the last entry is the number of all steps */
	vec(late_step) steps;
	vec(late_cell) cells;
	group keys;
	bool shared;            /* do processes of the trace share a GPU? */
} late_steps;

/* The steps are read once for each choice and `captured`, and kept with the trace.  captured: do ranges around the
 * captures of CUDA graphs count (AROUND_CAPTURED, ranges_around.h)? */
const late_steps *late_steps_of(trace *t, const steps_choice *choice, bool captured);
