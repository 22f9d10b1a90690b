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

/* For a column of a table that findings query: ADVISE_ID makes its id, and ADVISE_COL its table_col. */
#define ADVISE_ID(id, ...) id,
#define ADVISE_COL(id, name, type) { name, type, NULL, NULL },

#define ADVISE_INSIDE_COLUMNS(X) \
	X(I_UNIT, "unit", 'i') X(I_WHERE, "where", 't') X(I_RANGE, "range", 't') X(I_LAUNCHES, "launches", 'i') \
	X(I_SHORT, "short", 'i') X(I_SOURCE, "source", 't')
#define ADVISE_RUNS_COLUMNS(X) \
	X(R_UNIT, "unit", 'i') X(R_STEP, "step", 'i') X(R_WHERE, "where", 't') X(R_MOVES, "moves", 'i') \
	X(R_KERNELS, "kernels", 'i') X(R_DUR, "dur_ns", 'i') X(R_LONGEST, "longest_ns", 'i') X(R_LONG, "long", 'i') \
	X(R_SOURCE, "source", 't')
#define ADVISE_COLLECTIVES_COLUMNS(X) \
	X(C_UNIT, "unit", 'i') X(C_STEP, "step", 'i') X(C_WHERE, "where", 't') X(C_BYTES, "bytes", 'i') \
	X(C_BLOCKS, "blocks", 'i') X(C_DUR, "dur_ns", 'i') X(C_EXPOSED, "exposed_ns", 'i') X(C_LONG, "long", 'i') \
	X(C_SOURCE, "source", 't')

#define ADVISE_DOUBTS_COLUMNS(X) X(D_UNIT, "unit", 'i') X(D_KIND, "kind", 't') X(D_TEXT, "text", 't')

enum { INSIDE_FIRST = COL_OWN - 1, ADVISE_INSIDE_COLUMNS(ADVISE_ID) };
enum { RUNS_FIRST = COL_OWN - 1, ADVISE_RUNS_COLUMNS(ADVISE_ID) };
enum { COLLECTIVES_FIRST = COL_OWN - 1, ADVISE_COLLECTIVES_COLUMNS(ADVISE_ID) };
enum { DOUBTS_FIRST = COL_OWN - 1, ADVISE_DOUBTS_COLUMNS(ADVISE_ID) };

typedef struct {                /* a step of a unit; times are in ns */
	size_t unit;            /* index in advise_tables.units */
	size_t step;            /* the number of the step in the unit, from 0 */
	size_t lane;            /* the unit's work on the GPU (trace_lane), an index of trace.lanes */
	const window *w;        /* the window of the step */
	uint32_t proc;
	uint32_t name;          /* name of the ranges that are the steps, folded (str_fold); or STR_NONE */
	int64_t dur;            /* length of the GPU side of the window */
	int64_t busy, compute;  /* time in which the GPU works, and in which it computes */
	int64_t both;           /* time in which communication runs while something computes */
	int64_t blocked, sync_wait, unresolved; /* time in which nothing computes, as nsq-stalls divides it */
	int64_t cpu, wait;      /* length of the CPU side without its waits, and length of these waits (cpu_own.h) */
	int64_t profiler, slowed;       /* time that the profiler adds to launches; and the part of it, at most 18us for
					 * each call, that counts as a slowdown (cpu_own.h) */
	int64_t launches;       /* the number of calls in the CPU side that launch work */
	int64_t kernel;         /* whole times of the kernels that begin in the step */
	int64_t bare;           /* the part of `kernel` in kernels launched in no range except that of the step */
	int64_t exposed;        /* time in which communication runs while nothing computes */
	int64_t copies;         /* time in which only copies run */
	int64_t mpi;            /* idle time in MPI calls */
	int64_t graphs;         /* time in which whole CUDA graphs run */
	int64_t asleep;         /* time of the rows in the ledger with asleep = 1 */
	bool is_long;           /* the step is longer than others of the unit (share/conventions/advise.md, `long`) */
	ival between;           /* another phase of the program that lies in the step (phases.h); empty: none */
} advise_step_row;

typedef struct {
	advise_tables *a;       /* the tables to fill */
	const advise_tables_params *p;
	trace *t;
	const windows *all;     /* the steps */
	owners *o;              /* for each moment of a lane, the work that runs or the cause of the idle time */
	const call_sources *sources;
	const call_marks *marks;
	kernel_flaws *flaws;
	pattern *compiles;      /* matches the names of ranges in which code is compiled */
	cpu_own *cpu;
	const ival_set *asleep; /* by process: the times in which it is off the CPU (asleep.h); NULL: unknown */
	owners_params *owning;  /* the parameters with which `o` was built */
	vec(advise_step_row) steps;
	uint32_t *steps_by_unit;        /* indices in `steps`, unit by unit, in order of time */
	size_t *unit_begin;     /* by unit of the trace: where its steps begin in steps_by_unit; a last entry holds the
				 * end */
	size_t first_unit;      /* the number of units of the traces before this one */
	size_t first_proc;      /* the number of this trace's first process in the job of all traces; SIZE_MAX: nothing
				 * in the trace communicates */
	uint32_t *lane_unit;    /* by lane: its unit, an index in a->units; or NONE */
	bool *unsure;           /* by process: nobody knows why its GPU is idle (advise_unit.unsure) */
	int64_t excess;         /* the time that the profiler added to all launches of a process, according to the
				 * manifest, ns */
	bool torch;             /* names in the trace show that the program uses PyTorch */
} advise_gather_ctx;

/* The steps of a lane in order, as indices in g->steps.  *n: their number; 0, and the result NULL, for a lane
 * without a unit. */
static inline const uint32_t *advise_steps_on(const advise_gather_ctx *g, size_t lane, size_t *n)
{
	const size_t *begin = g->lane_unit[lane] == NONE ? NULL : &g->unit_begin[g->lane_unit[lane] - g->first_unit];

	*n = begin ? begin[1] - begin[0] : 0;
	return begin ? &g->steps_by_unit[begin[0]] : NULL;
}

/* Fill the tables `ledger`, `collectives` and `runs` (runs of pointwise kernels) step by step, and set those sums in
 * each advise_step_row that come from its work: busy, compute, exposed, kernel, bare, copies, graphs, mpi, asleep. */
void advise_fill_step_tables(advise_gather_ctx *g);

/* Fill the table `inside`: how many kernels are launched one by one in the ranges of each name. */
void advise_fill_inside(advise_gather_ctx *g);

/* Fill the table `doubts` about the units of the trace.  The steps of the units must be known.  False after a
 * problem. */
bool advise_doubts(advise_gather_ctx *g);

/* Add to the table `doubts` what only all traces together show: GPUs that their processes share. */
void advise_doubts_end(advise_tables *a);
