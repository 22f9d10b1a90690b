/*
 * nccl_parts - what nsq-nccl makes rows of: windows, the kernels in each, and the part of each kernel in its window.
 * Only lib/answer/nccl*.c include it.
 */
#pragma once

#include "answer/answers.h"
#include "job/late.h"

#define COLUMNS(X) \
	X(OPS, "ops", 'i', NULL, "operations that the process takes part in") \
	X(LAST_OPS, "last_ops", 'i', NULL, "operations at which the process arrives last, alone or together with " \
	  "others") \
	X(CAUSED_NS, "caused_ns", 'i', "ns", "time that kernels of other processes wait for this process when it " \
	  "arrives last") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the kernel in the window") \
	X(COMM, "comm", 't', NULL, "id of the communicator; mixed if the row has several; - if the trace does not " \
	  "say") \
	X(SEQ, "seq", 'i', NULL, "number of the collective on its communicator; the same in all processes") \
	X(RANKS, "ranks", 'i', NULL, "number of processes on the communicator, if its creation was captured; else " \
	  "the number seen in the traces") \
	X(OP, "op", 't', NULL, "operation: allreduce, sendrecv ...") \
	X(BYTES, "bytes", 'i', "bytes", "size of the message; for all-gather, reduce-scatter, all-to-all, gather " \
	  "and scatter, of one rank's part; for sends and receives, of the larger direction") \
	X(STAGE, "stage", 't', NULL, "label by the stage rules of nsq-overlap; if none matches, the folded name of " \
	  "the innermost range") \
	X(COUNT, "count", 'i', NULL, "operations in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "sum of the times of the operations' kernels") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "part of the kernels' time before the last process arrives") \
	X(TRANSFER_NS, "transfer_ns", 'i', "ns", "rest of the kernels' time; sums also hold the whole time of " \
	  "kernels that could not be matched") \
	X(COMM_NS, "comm_ns", 'i', "ns", "wait_ns + transfer_ns: time of the communication kernels of the process") \
	X(EXPOSED_NS, "exposed_ns", 'i', "ns", "part of the kernels' time in which no compute of the process runs " \
	  "on the GPU") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of an operation") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time of an operation") \
	X(BUS_GBPS, "bus_gbps", 'd', "GB/s", "bandwidth of the bus during transfer_ns, computed as NCCL's own " \
	  "tests do") \
	X(LAST, "last", 't', NULL, "rank that arrives last, before the kernel ends; its pid if there are no ranks, " \
	  "or PID@FILE if traces share that pid") \
	X(EXPLAINED_NS, "explained_ns", 'i', "ns", "how late the process makes others because it does more than " \
	  "they do: sum over its late steps") \
	X(STEPS_PCT, "steps_pct", 'd', "%", "late steps of the process as a share of the steady steps") \
	X(CAUSE, "cause", 't', NULL, "what the process has more of in late steps: an owner of nsq-ledger, or gpu " \
	  "(compute); rank N: it waits for rank N; unexplained") \
	X(WHERE, "where", 't', NULL, "range in which the process has more of it") \
	X(NAME, "name", 't', NULL, "name of the kernel")

enum { TABLE_IDS(COLUMNS) };

typedef struct {                /* a kernel in a window, as found when its trace was added */
	uint32_t kernel;        /* the index in job.kernels */
	uint32_t stage;         /* the string in nccl_job.stages, or STR_NONE */
	int64_t exposed;        /* the kernel's time in the window while no compute of the process runs, ns; 0 for
				 * --stragglers and --last */
} nccl_pick;

typedef struct {                /* a window of a process */
	uint32_t trace;         /* the index in job.traces */
	uint32_t proc;          /* the index in job.procs */
	ival_set side;          /* the GPU side of the window (window.gpu) */
	const char *name, *each_name;   /* as in the struct window */
	size_t first, n;        /* its kernels: nccl_job.picks from `first` on, `n` of them */
	uint32_t step;          /* a number that the windows of different processes share if they belong together; set
				 * by nccl_add_straggler_rows */
} nccl_window;

struct nccl_job {
	job *job;               /* the communication of all traces */
	late *late;             /* for --stragglers: which processes keep others waiting, and why */
	vec(nccl_window) windows;       /* of all traces */
	vec(nccl_pick) picks;   /* the kernels in the first window, then those in the second, and so on */
	str_pool stages;
	arena texts;
};

typedef struct {
	const nccl_params *p;
	nccl_job *all;
	const job *j;
	table *out;
} nccl_ctx;

typedef struct {                /* the part of a kernel in a window; times in ns */
	const job_kernel *k;
	const job_op *op;
	uint32_t stage;
	int64_t dur;            /* all of the part: wait + transfer */
	int64_t wait;           /* before the last process arrives; 0 if not matched */
	int64_t transfer;       /* the rest */
	int64_t exposed;        /* while no compute of the process runs */
	bool matched;           /* is the operation matched with those of other processes? */
} nccl_part;

/* The part of a kernel in a window. */
nccl_part nccl_part_of(const nccl_ctx *x, const nccl_window *w, const nccl_pick *from);

/* Begin a row about a window of a process. at: its start and end; name: what its column `window` shows. */
void nccl_begin_row(const nccl_ctx *x, const nccl_window *w, ival at, const char *name);

/* Add the rows of --stragglers or --last. */
void nccl_add_straggler_rows(const nccl_ctx *x, notes *say);
