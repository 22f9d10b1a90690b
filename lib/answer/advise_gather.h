/*
 * advise_gather - what is known of a trace while its tables are filled: for advise_tables.c, advise_work.c and
 * advise_doubts.c alone.
 *
 *     advise_gather_ctx g = { .t = t, .all = all };
 *     printf("%zu steps of %zu windows\n", g.steps.n, g.all->n);
 */
#pragma once

#include "answer/advise_tables.h"
#include "launch/call_sources.h"
#include "launch/call_marks.h"
#include "launch/cpu_own.h"
#include "step/kernel_flaws.h"
#include "trace/asleep.h"

/* Make the id, or the table_col, of a column of a table that findings query. */
#define ADVISE_ID(id, ...) id,
#define ADVISE_COL(id, name, type) { name, type, NULL, NULL },

#define ADVISE_INSIDE_COLUMNS(X) \
	X(I_UNIT, "unit", 'i') X(I_WHERE, "where", 't') X(I_RANGE, "range", 't') X(I_LAUNCHES, "launches", 'i') \
	X(I_SHORT, "short", 'i') X(I_SOURCE, "source", 't')
#define ADVISE_RUNS_COLUMNS(X) \
	X(F_UNIT, "unit", 'i') X(F_STEP, "step", 'i') X(F_WHERE, "where", 't') X(F_MOVES, "moves", 'i') \
	X(F_KERNELS, "kernels", 'i') X(F_DUR, "dur_ns", 'i') X(F_LONGEST, "longest_ns", 'i') X(F_LONG, "long", 'i') \
	X(F_SOURCE, "source", 't')
#define ADVISE_COLLECTIVES_COLUMNS(X) \
	X(C_UNIT, "unit", 'i') X(C_STEP, "step", 'i') X(C_WHERE, "where", 't') X(C_BYTES, "bytes", 'i') \
	X(C_BLOCKS, "blocks", 'i') X(C_DUR, "dur_ns", 'i') X(C_EXPOSED, "exposed_ns", 'i') X(C_LONG, "long", 'i') \
	X(C_SOURCE, "source", 't')

#define ADVISE_DOUBTS_COLUMNS(X) X(D_UNIT, "unit", 'i') X(D_KIND, "kind", 't') X(D_TEXT, "text", 't')

enum { INSIDE_FIRST = COL_OWN - 1, ADVISE_INSIDE_COLUMNS(ADVISE_ID) };
enum { RUNS_FIRST = COL_OWN - 1, ADVISE_RUNS_COLUMNS(ADVISE_ID) };
enum { COLLECTIVES_FIRST = COL_OWN - 1, ADVISE_COLLECTIVES_COLUMNS(ADVISE_ID) };
enum { DOUBTS_FIRST = COL_OWN - 1, ADVISE_DOUBTS_COLUMNS(ADVISE_ID) };

typedef struct {                /* a step of a unit; times in ns, most of them columns of the table `steps` */
	size_t unit, step, lane;
	const window *w;
	uint32_t proc;
	uint32_t name;          /* folded name of the ranges that are the steps, or STR_NONE */
	int64_t dur, busy, compute, both, blocked, sync_wait, unresolved, cpu, wait, profiler, slowed, launches;
	int64_t kernel, bare, exposed, copies, mpi, graphs, asleep;
	bool is_long;
	ival between;           /* another phase of the program that lies in the step */
} advise_step_row;

typedef struct {
	advise_tables *a;
	const advise_tables_params *p;
	trace *t;
	const windows *all;
	owners *o;
	const call_sources *sources;
	const call_marks *marks;
	kernel_flaws *flaws;
	pattern *compiles;      /* matches names of ranges that compile */
	cpu_own *cpu;
	const ival_set *asleep; /* by process: the times in which it waits off the CPU; NULL: unknown */
	owners_params *of;
	vec(advise_step_row) steps;
	uint32_t *by_unit;      /* indices in `steps`, unit by unit */
	size_t *of_unit;        /* by unit of the trace: where its steps begin in by_unit; one more entry holds the
				 * end */
	size_t first_unit, first_proc;
	uint32_t *unit_of;      /* by lane: its unit, or NONE */
	bool *unsure;           /* by process: as in advise_unit */
	int64_t excess;         /* ns that the profiler added to all launches of a process, according to the manifest */
	bool torch;             /* names in the trace show that the program uses PyTorch */
} advise_gather_ctx;

/* The steps of a lane in order, as indices in g->steps.  *n: their number, 0 for a lane without a unit. */
static inline const uint32_t *advise_steps_on(const advise_gather_ctx *g, size_t lane, size_t *n)
{
	const size_t *of = g->unit_of[lane] == NONE ? NULL : &g->of_unit[g->unit_of[lane] - g->first_unit];

	*n = of ? of[1] - of[0] : 0;
	return of ? &g->by_unit[of[0]] : NULL;
}

/* Fill the tables `ledger`, `collectives` and `runs` (of pointwise kernels) step by step, and set the sums in each
 * advise_step_row, such as busy and exposed. */
void advise_fill_step_tables(advise_gather_ctx *g);

/* Fill the table `inside`: how many kernels are launched one by one in the ranges of each name. */
void advise_fill_inside(advise_gather_ctx *g);

/* Fill the table `doubts` about the units of the trace, whose steps must be known.  False after a problem. */
bool advise_doubts(advise_gather_ctx *g);

/* Add the doubts that only all traces together show. */
void advise_doubts_end(advise_tables *a);
