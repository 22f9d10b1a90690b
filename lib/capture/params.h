/*
 * params - what nsq-capture was asked for.
 *
 *     capture_params p = { .mode = 1, .folder = "cap" };
 *     p.command = (text_list){ 0 };
 *     vec_push(&p.command, "./train");
 */
#pragma once

#include "base/notes.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
	unsigned mode;          /* always 1 */
	const char *folder;     /* -o */
	bool replace, dry_run, baseline;

	const char *nsys;       /* the program; NULL: report_nsys */
	const char *with;       /* what to trace besides CUDA and NVTX, separated by commas; or NULL */
	text_list flags;        /* more flags of nsys profile */
	bool sample;            /* the CPU too? */
	unsigned graphs;        /* CAPTURE_... */

	/* what to capture; all if nothing is given */
	const char *steps;      /* A..B, cut out in the end */
	const char *range;      /* NAME[@DOMAIN] of an NVTX range */
	bool profiler_api;      /* from cudaProfilerStart to cudaProfilerStop */
	int64_t delay_s, duration_s;    /* 0: not given */

	text_list sweeps;       /* NAME=V1,V2,... */
	int64_t keep;           /* so many captures of a sweep stay as they are, the others compressed; 0: all */
	int64_t keep_last;      /* and so many stay at all; 0: all */
	int64_t max_bytes;      /* 0: no limit */
	const char *ranks;      /* which to capture; NULL: all */

	/* what ncu measures */
	int64_t ncu;            /* so many kernels, those that take most time; 0: none */
	text_list ncu_sections, ncu_metrics;    /* what else to measure */
	bool no_clock_control;  /* leave clocks and caches as they are */

	/* the way from what there is to the next capture; or NULL */
	const char *again;      /* a trace whose run is captured with what it lacks */
	const char *ncu_for;    /* a table with kernels to measure; - is standard input */

	text_list command;
	FILE *to;               /* where --dry-run prints */
	notes *say;
	void (*show)(notes *say);       /* show the user what has been said, and empty the list */
} capture_params;

enum { CAPTURE_NODES, CAPTURE_WHOLE_GRAPHS };

/* Do they go together?  False after a problem. */
bool capture_params_fit(const capture_params *p, notes *say);

/* Which of the processes of a job this is, as its launcher tells in the environment: RANK, OMPI_COMM_WORLD_RANK,
 * PMI_RANK, SLURM_PROCID; -1: it is alone. */
int64_t ranks_own(void);

/* Is the rank in the list, such as 0,8..11: 1 if it is, 0 if not, -1 if that is no list. */
int ranks_list(const char *list, int64_t rank);
