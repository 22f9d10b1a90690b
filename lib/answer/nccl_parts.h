/*
 * nccl_parts - windows, the kernels in them and the parts of each kernel, from which the rows of nsq-nccl are made.
 * Only lib/answer/nccl*.c include it.
 */
#pragma once

#include "answer/answers.h"
#include "job/late.h"

#define COLUMNS(X) \
	X(OPS, "ops", 'i', NULL, "operations that the process takes part in") \
	X(LAST_OPS, "last_ops", 'i', NULL, "those in which nobody arrives later") \
	X(CAUSED_NS, "caused_ns", 'i', "ns", \
	  "how long others wait for this process, as the last: sum over their kernels") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the kernel in the window") \
	X(COMM, "comm", 't', NULL, \
	  "id of the communicator; mixed if a group has several; - if the trace does not say") \
	X(SEQ, "seq", 'i', NULL, "number of the collective on its communicator; the same in all processes") \
	X(RANKS, "ranks", 'i', NULL, \
	  "processes on the communicator: its size if its creation was captured, else those seen") \
	X(OP, "op", 't', NULL, "operation: allreduce, sendrecv ...") \
	X(BYTES, "bytes", 'i', "bytes", "size of its message; of all-gather, reduce-scatter, all-to-all, " \
	  "gather and scatter one rank's part; of sends and receives, the larger direction") \
	X(STAGE, "stage", 't', NULL, "as in nsq-overlap: label from the rules, else the folded name of the range") \
	X(COUNT, "count", 'i', NULL, "operations in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "sum of the times of its kernels") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "part of it before the last process arrives") \
	X(TRANSFER_NS, "transfer_ns", 'i', "ns", "the rest; in sums, all of what could not be matched") \
	X(COMM_NS, "comm_ns", 'i', "ns", "wait_ns and transfer_ns: the time of its communication kernels") \
	X(EXPOSED_NS, "exposed_ns", 'i', "ns", "part of it that no compute of the process and GPU overlaps") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of an operation") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time of an operation") \
	X(BUS_GBPS, "bus_gbps", 'd', "GB/s", \
	  "bandwidth of the bus while it transfers, as NCCL's own tests compute it") \
	X(LAST, "last", 't', NULL, \
	  "rank (else pid, or PID@FILE if traces share it) that arrives last before the kernel ends") \
	X(EXPLAINED_NS, "explained_ns", 'i', "ns", \
	  "how late it makes others by what it does more than they: sum over late steps") \
	X(STEPS_PCT, "steps_pct", 'd', "%", "its late steps as a share of the steady ones") \
	X(CAUSE, "cause", 't', NULL, \
	  "what it has more of: an owner of nsq-ledger, or gpu (it computes); rank N: it waits for that; " \
	  "unexplained") \
	X(WHERE, "where", 't', NULL, "the range in which it does so") \
	X(NAME, "name", 't', NULL, "kernel")

enum { TABLE_IDS(COLUMNS) };

typedef struct {                /* a kernel in a window */
	uint32_t kernel;
	uint32_t stage;         /* number of the stage in nccl_job.stages, or STR_NONE */
	int64_t exposed;
} nccl_pick;

typedef struct {
	uint32_t trace, proc;   /* numbers of the trace and the process in the job */
	ival_set side;
	const char *name, *each_name;
	size_t first, n;        /* its kernels in nccl_job.picks */
	uint32_t step;          /* number shared by the windows of different processes that belong together */
} nccl_piece;

struct nccl_job {
	job *job;
	late *late;
	vec(nccl_piece) pieces;
	vec(nccl_pick) picks;
	str_pool stages;
	arena texts;
};

typedef struct {
	const nccl_params *p;
	nccl_job *all;
	const job *j;
	table *out;
} nccl_ctx;

typedef struct {                /* a kernel in a window */
	const job_kernel *k;
	const job_op *op;
	uint32_t stage;
	int64_t dur, wait, transfer, exposed;
	bool matched;
} nccl_part;

/* The part of a kernel that lies in a window. */
nccl_part nccl_part_of(const nccl_ctx *x, const nccl_piece *w, const nccl_pick *from);

/* Begin a row about a window of a process. */
void nccl_row(const nccl_ctx *x, const nccl_piece *w, ival at, const char *name);

/* The rows of --stragglers and --last. */
void nccl_stragglers(const nccl_ctx *x, notes *say);
