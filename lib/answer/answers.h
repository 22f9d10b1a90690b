/*
 * answers - the questions that can be asked of a trace: the modes, keys and other parameters of each.
 *
 *     overlap_params p = { .mode = OVERLAP_TOTAL };
 *     table answer = { 0 };
 *     answer_rows(&overlap_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 *
 * A path across the ranks of several traces is asked for in this way.  A trace for which path_answer.keeps is true must
 * not be freed before `finish`:
 *
 *     path_params chain = { .mode = PATH_EACH };
 *     chain.job = path_begin(&chain);
 *     answer_rows(&path_answer, t, all, &chain, &answer, say);   // each trace with its windows
 *     path_answer.finish(&chain, &answer, say);  // the rows of all of them; frees the job
 *
 * gaps_answer is defined in gaps.c, and so on.  A parameter means the same in every question:
 * - comm: which kernels communicate; NULL: those of the built-in list;
 * - adopt: ranges on the main thread also contain other threads' work;
 * - captured: ranges around the capture of a CUDA graph also contain the work of its replays.
 */
#pragma once

#include "answer/question.h"
#include "job/arrivals.h"
#include "job/job_match.h"
#include "trace/call_class.h"
#include "trace/ncu_csv.h"
#include "trace/rules.h"
#include "trace/slice_write.h"

/* ---- setup: who is in this trace? */

enum { SETUP_PROCESSES = 1, SETUP_FACTS = 2 };

typedef struct {
	unsigned mode;          /* SETUP_PROCESSES: one row per process; SETUP_FACTS: rows of key and value
				 * (facts.h) */
	const load_comm_pattern *comm;
} setup_params;

/* ---- slice: a smaller trace that can be shared, or what such a trace would show */

enum { SLICE_WRITE = 1, SLICE_CHECK = 2 };

typedef struct {
	unsigned mode;          /* SLICE_WRITE: write a smaller trace; SLICE_CHECK: list what such a trace would show */
	slice_how how;          /* the file to write, and what goes into it */
	const rules *private;   /* the rules that say which texts of events may be private */
} slice_params;

/* ---- streams: which streams compute, which communicate, and for what? */

enum { STREAMS_SUMS = 1, STREAMS_WHY = 2 };

typedef struct {
	unsigned mode;          /* STREAMS_SUMS: one row per stream; STREAMS_WHY: streams that wait for others */
	const rules *rules;     /* the rules for labels, by which the purpose of a stream is named */
	const load_comm_pattern *comm;
	bool adopt, captured;
} streams_params;

/* ---- overlap: is communication hidden behind compute? */

enum { OVERLAP_SUMS = 1, OVERLAP_EACH = 2, OVERLAP_TOTAL = 4, OVERLAP_COST = 8 };
enum { OVERLAP_BY_STAGE = 1, OVERLAP_BY_STREAM = 2, OVERLAP_BY_NAME = 4 };

typedef struct {
	unsigned mode;          /* OVERLAP_SUMS: sums by `keys`; OVERLAP_EACH: one row per communication kernel;
				 * OVERLAP_TOTAL: times of compute, communication and copies, each moment counted once;
				 * OVERLAP_COST: times of compute kernels alone, and beside communication or copies */
	unsigned keys;          /* OVERLAP_BY_...: what the rows of OVERLAP_SUMS are summed by */
	const rules *rules;     /* the rules for stages; OVERLAP_TOTAL and OVERLAP_COST do not need them */
	const load_comm_pattern *comm;
	bool adopt, captured;
} overlap_params;

/* ---- gaps: when is the GPU idle, and who is to blame? */

enum { GAPS_SUMS = 1, GAPS_EACH = 2 };
enum { GAPS_BY_CAUSE = 1, GAPS_BY_NVTX = 2, GAPS_BY_GPU = 4, GAPS_BY_SOURCE = 8 };

typedef struct {
	unsigned mode;          /* GAPS_SUMS: idle time, summed by `keys`; GAPS_EACH: one row per gap, longest first */
	unsigned keys;          /* GAPS_BY_...: what the rows of GAPS_SUMS are summed by; GAPS_BY_GPU only without other
				 * keys */
	int64_t min_ns;         /* length of the shortest gap that GAPS_EACH lists, ns */
	unsigned kernels;       /* nonzero: only kernels and graphs make the GPU busy, copies and memory sets do not */
	steps_choice choice;    /* how those steps are chosen in which the cause `data` is looked for */
	bool adopt, captured;
} gaps_params;

/* ---- kernels: which kernels take the time? */

enum { KERNELS_SUMS = 1, KERNELS_EACH = 2 };

enum {
	KERNELS_BY_NAME = 1, KERNELS_BY_GPU = 2, KERNELS_BY_STREAM = 4, KERNELS_BY_PID = 8, KERNELS_BY_CATEGORY = 16,
	KERNELS_BY_NVTX = 32, KERNELS_BY_SOURCE = 64, KERNELS_BY_OWNER = 128, KERNELS_BY_PATH = 256,
	KERNELS_BY_GRID = 512, KERNELS_BY_BLOCK = 1024
};

typedef struct {
	unsigned mode;          /* KERNELS_SUMS: sums by `keys`; KERNELS_EACH: one row per kernel */
	unsigned keys;          /* KERNELS_BY_...: what the rows of KERNELS_SUMS are summed by; 0: see kernels_keys */
	const rules *categories;    /* unless NULL, adds the key KERNELS_BY_CATEGORY, which needs these rules */
	const load_comm_pattern *comm;
	const pattern *match;   /* only work whose short or demangled name matches; NULL: all */
	bool full;              /* show demangled names instead of short ones, and sum by them */
	unsigned copies;        /* nonzero: copies and memory sets count, too */
	bool shape;             /* KERNELS_SUMS: show how the blocks of a kernel fit the GPU, and sum by the shape
				 * (grid, block, registers, shared memory), too */
	bool adopt, captured;
	int64_t *wall;          /* by number of the trace: how long the run took without a profiler, ns; 0: as long as
				 * the window; NULL: not given */
	size_t walls;           /* length of wall; 1: the value holds for all traces */
	const char *wall_in;    /* the manifest of nsq-capture that holds these times (manifest.h); or NULL */
	bool no_launches;       /* KERNELS_EACH: leave the columns launch_ns and nvtx missing */
	bool details;           /* KERNELS_EACH: add the columns grid, block and full, which stay missing without
				 * `shapes` and `demangled` */
	bool shapes;            /* fill the columns grid and block */
	bool demangled;         /* fill the column full */
} kernels_params;

/* The keys in effect: `keys`, and those that `categories` and `shape` add; without any, KERNELS_BY_NAME. */
unsigned kernels_keys(const kernels_params *p);

/* ---- api: how much time does the CPU spend in CUDA calls? */

enum { API_SUMS = 1, API_EACH = 2, API_LAUNCH = 4, API_LAUNCH_COUNTS = 8, API_KERNELS = 16 };
enum { API_BY_NAME = 1, API_BY_CLASS = 2, API_BY_THREAD = 4, API_BY_PID = 8, API_BY_SOURCE = 16 };
enum { API_ALL_CLASSES = CALL_MPI + 1 };

typedef struct {
	unsigned mode;          /* API_SUMS: sums by `keys`; API_EACH: one row per call; API_LAUNCH: launches by
				 * process; API_LAUNCH_COUNTS: only their counts; API_KERNELS: launches by kernel */
	unsigned keys;          /* API_BY_...: what the rows of API_SUMS are summed by */
	unsigned class;         /* only calls of this enum call_class; API_ALL_CLASSES: all */
	bool no_why;            /* API_EACH: leave the column why missing */
} api_params;

/* ---- nvtx: where does the time go, by annotation? */

enum { NVTX_SUMS = 1, NVTX_EACH = 2, NVTX_TREE = 4, NVTX_PHASES = 8 };

typedef struct {
	unsigned mode;          /* NVTX_SUMS: one row per domain and name; NVTX_EACH: one row per range; NVTX_TREE: one
				 * row per path of nested names; NVTX_PHASES: one row per label */
	const rules *phases;    /* for NVTX_PHASES */
	const pattern *match;   /* for NVTX_SUMS and NVTX_EACH: only ranges whose name matches; NULL: all */
	bool exact;             /* keep the digits of names instead of folding them */
	bool adopt, captured;
	int64_t levels;         /* for NVTX_TREE and NVTX_EACH: only ranges less deep than this; 0: all */
	int64_t warn_below;     /* add a remark if less than this percentage of the GPU time is in ranges */
} nvtx_params;

/* ---- threads: what do the CPU threads do? */

enum { THREADS_SUMS = 1, THREADS_OS = 2, THREADS_SAMPLES = 4, THREADS_STACKS = 8 };

typedef struct {
	unsigned mode;          /* THREADS_SUMS: one row per thread; THREADS_OS: one row per name of an OS call;
				 * THREADS_SAMPLES: one row per function; THREADS_STACKS: one row per call chain */
} threads_params;

/* The call chain of a row of THREADS_STACKS, as flame graphs read it, and the number of its samples. */
const char *threads_stack_of_row(const table *rows, size_t row, int64_t *samples);

/* ---- copies: what data moves, and how fast; and how much memory is allocated? */

enum { COPIES_SUMS = 1, COPIES_EACH = 2, COPIES_USAGE = 4, COPIES_FAULTS = 8 };

enum {
	COPIES_BY_KIND = 1, COPIES_BY_SRC = 2, COPIES_BY_DST = 4, COPIES_BY_PID = 8, COPIES_BY_GPU = 16,
	COPIES_BY_STREAM = 32, COPIES_BY_NVTX = 64, COPIES_BY_CALL = 128
};

typedef struct {
	unsigned mode;          /* COPIES_SUMS: sums by `keys`; COPIES_EACH: one row per copy or set; COPIES_USAGE:
				 * allocations; COPIES_FAULTS: page faults of unified memory */
	unsigned keys;          /* COPIES_BY_...: what the rows of COPIES_SUMS are summed by */
	const pattern *match;   /* only copies whose "KIND SRC DST" matches; NULL: all */
	bool adopt, captured;
	bool no_waits;          /* COPIES_EACH: leave the columns call, call_ns, wait_ns and waiter missing */
} copies_params;

/* ---- metrics: how busy were the GPU's units? */

enum { METRICS_SUMS = 1, METRICS_EACH = 2, METRICS_NET = 4 };
enum { METRICS_BY_NAME = 1, METRICS_BY_NVTX = 2, METRICS_BY_STAGE = 4 };

typedef struct {
	unsigned mode;          /* METRICS_SUMS: sums by metric and `keys`; METRICS_EACH: one row per sample and metric;
				 * METRICS_NET: metrics of network adapters */
	unsigned keys;          /* METRICS_BY_...: METRICS_SUMS also sums by these keys of the kernels that ran; 0: by
				 * none */
	const pattern *match;   /* only metrics whose name matches; NULL: all */
	const rules *rules;     /* for METRICS_BY_STAGE */
	bool adopt, captured;
} metrics_params;

/* ---- mfu: how much of the GPU's peak is used? */

enum { MFU_SUMS = 1, MFU_EACH = 2 };
enum { MFU_BY_NVTX, MFU_BY_STAGE, MFU_BY_PHASE, MFU_BY_NAME, MFU_BY_WINDOW, MFU_BY_SHAPE, MFU_BY_OP };

typedef struct {
	unsigned mode;          /* MFU_SUMS: sums by `by`; MFU_EACH: one row per kernel */
	unsigned by;            /* MFU_BY_...: the key of MFU_SUMS */
	const ncu_csv *ncu;     /* what Nsight Compute measured; or NULL */
	bool shapes;            /* take FLOPs from the sizes in the names of ranges; MFU_BY_SHAPE and MFU_BY_OP need
				 * it */
	unsigned type;          /* the type of the operands to which `shapes` and `flops` refer, an index of mfu_types;
				 * 0: unknown */
	double flops;           /* with MFU_BY_WINDOW: model FLOPs of each window; 0: not given */
	double tokens;          /* tokens of each window; 0: not given.  If given, `flops` holds the FLOPs of one
				 * token */
	double peak;            /* TFLOP/s of the GPU at its best; 0: what its data sheet says */
	const rules *stages;    /* for MFU_BY_STAGE */
	const rules *phases;    /* for MFU_BY_PHASE */
	bool adopt, captured;
} mfu_params;
extern const char *const mfu_types[];    /* "any", "fp4", "fp8" and so on, ended by NULL */

/* ---- nccl: what does each collective move, how fast, and who keeps whom waiting?  All rows come from `finish`, after
 * every trace was added.  A trace can be freed as soon as it was added. */

enum { NCCL_SUMS = 1, NCCL_EACH = 2, NCCL_STRAGGLERS = 4, NCCL_LAST = 8 };
enum { NCCL_BY_COMM = 1, NCCL_BY_OP = 2, NCCL_BY_BYTES = 4, NCCL_BY_STAGE = 8, NCCL_BY_PID = 16 };

typedef struct nccl_job nccl_job;

typedef struct {
	unsigned mode;          /* NCCL_SUMS: sums by `keys`; NCCL_EACH: one row per kernel; NCCL_STRAGGLERS: one row
				 * per process, how late it is and why; NCCL_LAST: one row per process, how often it
				 * arrives last for whatever reason */
	unsigned keys;          /* NCCL_BY_...: what the rows of NCCL_SUMS are summed by */
	unsigned clock;         /* enum job_clock */
	const rules *rules;     /* for NCCL_BY_STAGE */
	steps_choice choice;    /* NCCL_STRAGGLERS: how the steps are chosen */
	const load_comm_pattern *comm;
	bool adopt, captured;
	nccl_job *job;          /* the traces added so far */
} nccl_params;

/* Free the result with nccl_end.  of: the job of all traces, if other answers share it; NULL: make one. */
nccl_job *nccl_begin(job *of);
void nccl_end(nccl_job *j);

/* ---- stalls: when nothing computes, what was the next compute kernel waiting for? */

enum { STALLS_SUMS = 1, STALLS_EACH = 2 };
enum { STALLS_BY_PART = 1, STALLS_BY_PRODUCER = 2, STALLS_BY_STAGE = 4, STALLS_BY_NVTX = 8, STALLS_BY_CAUSE = 16 };

typedef struct {
	unsigned mode;          /* STALLS_SUMS: sums by `keys`; STALLS_EACH: one row per stretch without compute,
				 * longest first */
	unsigned keys;          /* STALLS_BY_...: what the rows of STALLS_SUMS are summed by */
	const rules *rules;     /* for stages */
	const load_comm_pattern *comm;
	bool adopt, captured;
} stalls_params;

/* Does the answer need the ranges around work? */
bool stalls_need_ranges(const stalls_params *p);

/* Does the answer need the stages of work? */
bool stalls_need_stages(const stalls_params *p);

/* ---- path: which chain of work, waits and CPU time makes the window as long as it is? */

enum { PATH_SUMS = 1, PATH_EACH = 2 };

typedef struct path_job path_job;

typedef struct {
	unsigned mode;          /* PATH_SUMS: one row per kind and name of links; PATH_EACH: the chain, link by link */
	bool ranks;             /* a collective that waits continues the path in the rank that it waits for; needs
				 * `job` */
	const load_comm_pattern *comm;
	bool adopt, captured;
	path_job *job;          /* the traces added so far, whose rows `finish` adds; NULL: `rows` adds the rows of each
				 * trace, with a path for each process */
} path_params;

path_job *path_begin(const path_params *p);

/* ---- ledger: where does the step go?  Each moment has an owner: the kind of work that runs or, when none runs, the
 * cause of the idle time (step/owners.h).  The rows of a process and GPU add up to the window. */

enum { LEDGER_SUMS = 1, LEDGER_EACH = 2 };
enum { LEDGER_BY_OWNER = 1, LEDGER_BY_WHERE = 2, LEDGER_BY_NAME = 4 };

typedef struct {
	unsigned mode;          /* LEDGER_SUMS: sums of time; LEDGER_EACH: one row per stretch of time with one
				 * owner, in order of time */
	unsigned keys;          /* LEDGER_BY_...: what the rows of LEDGER_SUMS are summed by; 0: by owner */
	steps_choice choice;    /* how the steps are chosen */
	const load_comm_pattern *comm;
	bool adopt, captured;
	arrivals *ranks;        /* arrivals in the collectives of all traces together; NULL: in those of each trace by
				 * itself */
} ledger_params;

/* ---- find: where are the events of a name, or all that happens at a moment? */

enum { FIND_NAME = 1, FIND_AT = 2 };
enum find_moment { FIND_AT_TIME, FIND_AT_START, FIND_AT_END };
enum {
	FIND_KERNEL = 1, FIND_GRAPH = 2, FIND_COPY = 4, FIND_SET = 8, FIND_CALL = 16, FIND_RANGE = 32, FIND_MARK = 64,
	FIND_OS = 128, FIND_MPI = 256, FIND_ALL = 511
};

typedef struct {
	unsigned mode;          /* FIND_NAME: events by name; FIND_AT: events in progress at a moment */
	unsigned kinds;         /* FIND_...: events of these kinds */
	const pattern *match;   /* FIND_NAME: the expression for names */
	enum find_moment at;    /* FIND_AT: the moment is time_ns, or the start or end of each window */
	int64_t time_ns;        /* FIND_AT_TIME: the moment, ns */
	bool captured;
} find_params;

/* ---- the answers */

extern const answer setup_answer, slice_answer, streams_answer, overlap_answer, gaps_answer, kernels_answer, api_answer,
	nvtx_answer, threads_answer, copies_answer, metrics_answer, mfu_answer, nccl_answer, stalls_answer, path_answer,
	ledger_answer, find_answer;
