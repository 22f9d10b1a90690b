/*
 * params - the parameters of nsq-capture.
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
	unsigned mode;          /* always 1, because nsq-capture has only one mode */
	const char *folder;     /* -o */
	bool replace;           /* --force: replace an earlier capture in the folder */
	bool dry_run;           /* --dry-run: only print the commands */
	bool baseline;          /* --baseline: first run the command without a profiler, to measure its time */

	const char *nsys;       /* the program to run; NULL: what report_find_nsys finds */
	const char *with;       /* kinds of events to trace besides CUDA and NVTX, separated by commas; or NULL */
	text_list flags;        /* more flags of nsys profile */
	bool sample;            /* also sample the CPU? */
	unsigned graphs;        /* CAPTURE_NODES: trace each node of a CUDA graph; CAPTURE_WHOLE_GRAPHS: only whole
				 * graphs */

	/* the part of the run to capture; by default all of it */
	const char *steps;      /* A..B: after the capture, the trace is replaced by a slice with these steps */
	const char *range;      /* NAME[@DOMAIN] of an NVTX range */
	bool profiler_api;      /* from cudaProfilerStart to cudaProfilerStop */
	int64_t delay_s, duration_s;    /* how long after the start of the command the capture begins, and how long
					 * it lasts; 0: not given */

	text_list sweeps;       /* NAME=V1,V2,...: a capture for each value, which replaces {NAME} in the command */
	int64_t keep;           /* how many of the newest captures in the folder stay uncompressed; 0: all */
	int64_t keep_last;      /* how many of the newest captures in the folder are not removed; 0: all */
	int64_t max_bytes;      /* start no further capture of a sweep if its folder holds more bytes; 0: no limit */
	const char *ranks;      /* the ranks to capture, such as 0,8..11; NULL: all */

	/* measurements by ncu */
	int64_t ncu;            /* the number of kernels to measure, those that take most time; 0: none */
	text_list ncu_sections, ncu_metrics;    /* further sections and metrics to measure */
	bool no_clock_control;  /* leave clocks and caches as they are */

	/* an earlier capture, or a table about it, supplies the parameters that the user did not give; NULL: none */
	const char *again;      /* a trace; its command is captured again, with what the trace lacks */
	const char *ncu_for;    /* a table of kernels to measure; - is standard input */

	text_list command;      /* the words of the command to capture */
	FILE *to;               /* where commands are printed that are not run */
	notes *say;
	void (*show)(notes *say);       /* print the notes, and empty the list */
} capture_params;

enum { CAPTURE_NODES, CAPTURE_WHOLE_GRAPHS };

/* Do the parameters fit together?  False after a problem. */
bool capture_params_fit(const capture_params *p, notes *say);

/* The rank of this process in its job, from the variables of its launcher: RANK, OMPI_COMM_WORLD_RANK, PMI_RANK or
 * SLURM_PROCID; -1: none of them is set, or the job has one process. */
int64_t ranks_get_own(void);

/* Is the rank in a list such as 0,8..11?  1: yes, 0: no, -1: the text is no such list. */
int ranks_in_list(const char *list, int64_t rank);
