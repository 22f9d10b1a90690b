/*
 * trace - one Nsight Systems export in memory, in the terms of share/conventions.md.
 *
 *     notes say = { 0 };
 *     trace *t = trace_open("run.sqlite", 2, &say);  // NULL: say has the reason
 *     if (t && load_trace(t, TRACE_WORK, NULL))          // load.h
 *         for (size_t i = 0; i < t->work.n; i++)
 *             printf("%s %lld\n", t->procs[t->streams[t->work.stream[i]].proc].shown,
 *                    (long long)t->work.start[i]);
 *     if (t)
 *         trace_free(t);
 *     notes_free(&say);
 *
 * Only the files of this folder know the schema and its versions.  Everything is stored by column and refers to other
 * things by index: work to streams and calls, calls and ranges to threads, threads and streams to processes.
 * Processes, threads and streams are sorted, so comparing their indices compares them.  A "string" is the index of a
 * text in trace.names.  A flag in parentheses, such as (TRACE_SHAPE), means that a member is filled only if load_trace
 * is asked for that flag.  Events that start before 0 are left out.  Several traces can be open at the same time.
 */
#pragma once

#include "base/arena.h"
#include "base/dict.h"
#include "base/interval.h"
#include "base/memory.h"
#include "base/notes.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/strings.h"
#include "sqlite/database.h"

#include <pthread.h>
#include <string.h>

#define NONE UINT32_MAX   /* no such index */
#define TRACE_UNKNOWN INT64_MIN   /* no such number */
#define CAPTURE_OUTSIDE (NONE - 1)   /* in trace_work.capture: the trace lacks the creation of the work's graph node */

/* Flags for what to load.  The needs of several questions can be combined with |; each question then finds at least
 * what it needs.  The number of calls and ranges of each thread, and the span of the calls, NVTX events and work of
 * each process, are always known. */
enum {
	TRACE_KERNELS = 1,      /* kernels, and whole graphs: CUDA graphs that the trace shows without their nodes */
	TRACE_COPIES = 2,       /* memory copies and sets */
	TRACE_WORK = 3,         /* TRACE_KERNELS | TRACE_COPIES */
	TRACE_FULL = 4,         /* demangled kernel names */
	TRACE_SHAPE = 8,        /* grid and block of kernels */
	TRACE_LAUNCH = 16,      /* the calls that launched work, and trace_work.launch */
	TRACE_CALLS = 32,       /* all API calls */
	TRACE_CALL_CHAINS = 64, /* call chains of API calls; implies TRACE_CALLS */
	TRACE_SYNCS = 128,      /* records of CUDA events, and synchronizations; implies TRACE_CALLS and TRACE_LAUNCH */
	TRACE_RANGES = 256,     /* NVTX ranges, and the names of threads */
	TRACE_PAYLOADS = 512,   /* the payloads of NCCL's ranges; implies TRACE_RANGES */
	TRACE_MARKS = 1024,     /* NVTX marks */
	TRACE_CAPTURES = 2048,  /* when the CUDA graph nodes of work were created, if the trace says so */
	TRACE_METRICS = 4096,   /* samples of GPU metrics; they widen the span of the trace */
	TRACE_CPU = 1 << 13,    /* the processes, threads and spans of OS calls, context switches and samples; implied
				 * by TRACE_OS, TRACE_SWITCHES and TRACE_SAMPLES */
	TRACE_OS = 1 << 14,     /* calls of the operating system's library */
	TRACE_SWITCHES = 1 << 15,       /* when threads run on a CPU, and when they wait for one */
	TRACE_SAMPLES = 1 << 16,        /* samples of threads on a CPU; implied by TRACE_CHAINS */
	TRACE_CHAINS = 1 << 17, /* call chains of samples */
	TRACE_MPI = 1 << 18,    /* MPI calls of threads that have other events */
	TRACE_MPI_SPAN = 1 << 19,       /* MPI calls widen the spans of processes and of the trace; implies TRACE_MPI */
	TRACE_RESOURCES = 1 << 20       /* registers and shared memory of kernels; implies TRACE_SHAPE */
};

enum work_kind { WORK_KERNEL, WORK_GRAPH, WORK_COPY, WORK_SET };

typedef struct {                 /* the failed calls of a process: calls for launching, copying, setting or waiting that
				  * returned an error */
	size_t calls;            /* number of failed calls */
	size_t launches;         /* number of failed calls that launch work (call_launches_work) */
	int64_t at;              /* start of the first failed call */
	uint32_t name;           /* the name of that call, as in trace_call_kind */
	int64_t returned;        /* the error that it returned */
} trace_failed;

typedef struct {
	int64_t id;              /* the process, as in global_id.h */
	int64_t pid;
	int64_t sub;             /* global_sub of id if another process of the trace has the same pid; otherwise -1 */
	char shown[NUMBER_PID_SIZE];     /* the pid as shown everywhere: "693", or "693:2" if sub is 2 */
	int64_t rank;            /* rank in the setup label, an NVTX text such as "rank=2; pp=1/2 ...; mbs=1 ..."
				  * (order_ranges.h); -1: the process has no setup label */
	const char *mesh;        /* second part of the setup label, such as "pp=1/2 ...", or NULL */
	const char *run;         /* third part of the setup label, such as "mbs=1 ...", or NULL */
	int64_t label;           /* when the setup label was set; meaningless if rank is -1 */
	const char *name;        /* its executable, otherwise the name of its main thread, or NULL (process_names.h) */
	ival events;             /* span of all its events; a > b: none.  OS calls, context switches and samples count
				  * only with TRACE_CPU, MPI calls only with TRACE_MPI_SPAN */
	ival gpu;                /* span of its GPU work; a > b: none */
	bool calls;              /* does it make API calls? */
	size_t launches;         /* number of its calls that launch work (call_launches_work) */
	trace_failed failed;     /* its calls that failed */
	int64_t loads;           /* start of its last call that loads a module or a library, or TRACE_UNKNOWN */
	size_t kernels;          /* number of its kernels and whole graphs, loaded or not */
} trace_proc;

typedef struct {
	uint32_t proc;
	int64_t tid;
	uint32_t name;           /* string, or STR_NONE; from NVTX, otherwise from the operating system
				  * (TRACE_RANGES) */
	size_t calls;            /* number of its API calls */
	size_t ranges;           /* number of its push/pop and start/end ranges */
	size_t nccl_ranges;      /* number of its push/pop ranges in NCCL's domain */
} trace_thread;

typedef struct {
	uint32_t proc;
	int64_t gpu;             /* the process's number for the GPU (deviceId) */
	int64_t ctx, stream;     /* TRACE_UNKNOWN: the trace does not say */
	char class;              /* 'c' compute, 'm' communication, 'y' copy; work_stream_class says which work makes
				  * which */
} trace_stream;

/* A trace_reach says how far events that are sorted by start reach.  It is a tree of maxima, whose leaves are the
 * latest ends in blocks of REACH_BLOCK events.  With this tree, the events of a window are found without looking at all
 * earlier events, even if one long event reaches into every window. */
enum { REACH_BLOCK = 256 };

typedef struct {
	size_t leaves;          /* number of leaves: a power of two, larger than the number of blocks */
	int64_t *latest;        /* latest[1]: the latest end of all events; latest[leaves + b]: the latest end in block
				 * b; latest[i]: the later one of latest[2 i] and latest[2 i + 1] */
} trace_reach;

typedef struct {                 /* a process's work on one GPU: n pieces of trace.work, beginning at `first` */
	uint32_t proc;
	int64_t gpu;
	size_t first, n;
	trace_reach reach;
} trace_lane;

typedef struct {
	uint32_t proc;
	int64_t id;
	uint32_t name;           /* string, or STR_NONE: the default domain */
	bool nccl;               /* is its name NCCL? */
	bool mpi;                /* is its name MPI? */
	bool inner;              /* its ranges come from inside a library (NCCL, ATen) or are Python functions: they are
				  * listed, but no work and no step is named after them */
} trace_domain;

typedef struct {                 /* what pieces of work with the same name, shape and resources have in common */
	uint32_t name;           /* the short name of a kernel, "graph 1", "memcpy h2d", "memset": string, or STR_NONE.
				  * A copy is "memcpy" if the trace does not say its kind.  A copy from one GPU to
				  * another is "memcpy p2p", even if its copy_kind is d2d */
	uint32_t full;           /* string: the demangled name of a kernel (TRACE_FULL); if it is not loaded or not
				  * known, and for other work, the same as name */
	uint32_t grid, block;    /* strings such as "128x1x1", or STR_NONE (TRACE_SHAPE) */
	int64_t registers;       /* registers of a thread (TRACE_RESOURCES), or TRACE_UNKNOWN */
	int64_t shared;          /* bytes of shared memory of a block, static and dynamic (TRACE_RESOURCES), or
				  * TRACE_UNKNOWN */
} work_type;

/* Bits of trace.comm: kernels of the type are communication; copies of the type are communication. */
enum { COMM_KERNEL = 1, COMM_COPY = 2 };

typedef struct {                 /* pieces of GPU work, sorted by lane, then start */
	size_t n;
	int64_t *start, *end;
	int64_t *corr;           /* correlation ids; 0: none */
	uint32_t *stream;        /* index into streams; before order_work_build, index into work_raw.places */
	uint32_t *type;          /* index into types; use work_name, work_full, work_grid and work_block */
	vec(work_type) types;
	uint32_t *launch;        /* index of the call that launched it, or NONE (TRACE_LAUNCH) */
	int64_t *node;           /* graphNodeId, or 0: none; freed when graph_nodes.h sets `capture` */
	uint32_t *capture;       /* index into captures: the creation of its graph node or, if that node is a clone, of
				  * the first original (graph_nodes.h); or CAPTURE_OUTSIDE; NONE: it has no graph node
				  * (TRACE_CAPTURES).  The array is NULL if the trace does not say when nodes were
				  * created */
	int64_t *bytes;          /* size of a copy or set; negative: the trace does not say (TRACE_COPIES) */
	uint8_t *copy_kind, *src_kind, *dst_kind;       /* of copies and sets: numbers of CUPTI; work_copy_kind and
							 * work_mem_kind return their meanings (TRACE_COPIES) */
	uint8_t *kind;           /* enum work_kind */
} trace_work;

typedef struct {                 /* the calls of one thread with one name */
	uint32_t thread;
	uint32_t name;           /* string as in the trace (cudaLaunchKernel_v7000), or STR_NONE */
	uint8_t class;           /* enum call_class */
} trace_call_kind;

typedef struct {                 /* API calls, sorted by start, length (longest first), thread, class, name, correlation
				  * id */
	size_t n;
	int64_t *start, *end;
	uint32_t *kind;          /* index into kinds */
	trace_call_kind *kinds;
	size_t nkinds;
	trace_reach reach;
	uint32_t *chain;         /* index into call_chains, or NONE (TRACE_CALL_CHAINS); NULL: no call has a chain */
} trace_calls;

typedef struct {                 /* the ranges of one thread in one domain */
	uint32_t thread, domain;
} trace_range_kind;

typedef struct {                 /* NVTX ranges, sorted by thread, start, length (longest first), so that outer ranges
				  * precede inner ones */
	size_t n;
	int64_t *start, *end;
	uint32_t *kind;          /* index into kinds; use ranges_thread and ranges_domain */
	const trace_range_kind *kinds;   /* the array of trace.range_kinds */
	uint32_t *name;          /* string, or STR_NONE: it has none */
} trace_ranges;

typedef struct {                 /* one metric of one GPU */
	int64_t type;            /* typeId: a GPU and a set of metrics */
	int64_t id;              /* metricId within the type */
	int64_t card;            /* the GPU, by nsys's own number */
	int64_t gpu;             /* the number that all processes use for the GPU, if each GPU with metrics has one such
				  * number of its own; otherwise the same as card, for all metrics */
	uint32_t name;           /* string, or STR_NONE */
	size_t n;                /* number of samples, which are sorted by time */
	int64_t *time;           /* times of the samples; the same array as that of metric `first` if the times are the
				  * same */
	size_t first;            /* index into trace.metrics: the first metric of this type */
	int64_t *value;          /* values of the samples */
} trace_metric;

typedef struct { /* events of one kind, other than API calls and ranges, of all threads: sorted by thread, start, length
		  * (longest first), name (thread_events.h) */
	size_t n;
	int64_t *start, *end;    /* end NULL: the events are moments, and thread_events_end returns the start */
	uint32_t *name;          /* string, or STR_NONE */
	uint32_t *chain;         /* index into chains, or NONE; only for samples (TRACE_CHAINS) */
	int64_t *reach;          /* has an element for each block of events (thread_events.c): the latest end among the
				  * events before the end of the block that belong to the thread of the block's first
				  * event.  NULL: the events are moments */
	size_t *first;           /* has an element for each thread, the index of its first event, and one more, the end
				  * of the last thread's events */
} trace_thread_events;

typedef struct {                 /* when threads run on a CPU, and when they wait for one */
	int64_t *at;             /* moments: a thread runs from its first moment to the second, waits until the third,
				  * runs until the fourth, and so on; each thread has an even number */
	size_t *first, *end;     /* the moments of a thread are at[first[thread]] up to at[end[thread] - 1] */
} trace_stretches;

typedef struct {                 /* call chains of samples or of API calls */
	size_t *first;           /* chain c is function[first[c]] up to function[first[c + 1] - 1], innermost function
				  * first */
	uint32_t *function;      /* entries of the chains: indices into name, module and nameless */
	uint32_t *name, *module; /* strings of each function, or STR_NONE */
	bool *nameless;          /* has the function no symbol?  Its name is then its module or, for API calls, its
				  * address */
	size_t n;                /* number of chains */
	size_t nfunctions;       /* number of functions */
	int64_t *id;             /* the id that each chain has in the trace's table of chains; sorted; freed at the end
				  * of loading (load_chains_find) */
} trace_chains;

typedef struct {                 /* creations of CUDA graph nodes (TRACE_CAPTURES) */
	size_t n;
	int64_t *at;             /* when the node was created */
	uint32_t *thread;        /* the thread that created it; NONE: the trace does not say, or the thread has no other
				  * events */
} trace_captures;

/* Values of trace_syncs.id besides numbers of records and TRACE_UNKNOWN (the trace does not say). */
#define SYNC_UNSEEN 0                    /* the row waits for an event whose record CUPTI missed */
#define SYNC_NO_EVENT UINT32_MAX         /* the row does not concern an event */

typedef struct {                 /* a process, context and stream that records and synchronizations concern */
	int64_t process;         /* as in global_id.h */
	int64_t ctx, stream;     /* TRACE_UNKNOWN or UINT32_MAX: none */
} trace_sync_place;

typedef struct {                 /* rows: records of CUDA events, and synchronizations (TRACE_SYNCS); sorted by call,
				  * and for the same call synchronizations first.  Rows that no question needs are left
				  * out (load_syncs.h) */
	size_t n;
	uint32_t *call;          /* index into calls */
	uint32_t *place;         /* index into places, of which there are few */
	trace_sync_place *places;
	size_t nplaces;
	int64_t *id;             /* number of the record that is made or waited for, or SYNC_...; NULL: the rows have
				  * `event` instead */
	int64_t *event;          /* the event's number, which may be used again once the event is destroyed; NULL: the
				  * rows have `id` instead */
	bool *record;            /* true: a record of an event; false: a synchronization */
} trace_syncs;

typedef struct {                 /* what the payload of one of NCCL's ranges says; it names a communicator */
	uint32_t thread;
	int64_t start, end;     /* the range's times; end TRACE_UNKNOWN: it was never closed */
	uint64_t comm;          /* NCCL communicator ID */
	/* in the next four members, TRACE_UNKNOWN: the payload has no such field */
	int64_t bytes;          /* field "Message size [bytes]" */
	int64_t peer;           /* field "Peer rank" */
	int64_t size;           /* field "No. of ranks": the range creates a communicator of this size */
	int64_t rank;           /* field "Rank": the process's rank in that communicator */
} trace_payload;

typedef struct {                 /* payloads of NCCL's ranges (TRACE_PAYLOADS) */
	trace_payload *v;        /* sorted by thread, start, latest end first */
	size_t n, room;
	size_t no_schema;       /* number of payloads whose schema is not in the trace, or cannot be used
				 * (payloads.c) */
	size_t cut;             /* number of payloads that are shorter than their schema, or not valid JSON */
} trace_payloads;

typedef struct {
	const char *path;        /* the name of the trace in messages and answers; whoever opens the trace may replace
				  * it by a text that lives as long */
	size_t number;           /* index of the trace among those on the command line, from 0; set by whoever opens
				  * it */
	db *db;
	int workers;             /* number of threads of nsq that may work on the trace at the same time */
	notes *say;              /* problems are added to this */
	void (*watch)(void *ctx, const char *step, size_t done, size_t all);    /* called after each step of loading
										 * with its name, its number from 1, and
										 * the number of steps; or NULL */
	void *watch_ctx;         /* first argument of watch */
	arena texts;
	str_pool names;
	bool has_cuda;           /* does it have a table CUPTI_ACTIVITY_KIND_...? */
	bool has_nvtx;           /* does it have a table NVTX_EVENTS? */
	bool has_os, has_switches, has_samples;  /* does it have a table of OS calls, context switches, samples? */
	bool has_mpi;            /* does it have tables of MPI calls?  if not, MPI calls are ranges of the domain MPI,
				  * as older nsys writes them */
	ival span;               /* span of all events; a > b: none */
	ival work_span;          /* span of GPU work */
	ival cuda_nvtx_span;     /* span of CUDA and NVTX events; a mark counts as a moment without length */

	trace_proc *procs;       size_t nprocs;    /* sorted by global_order */
	trace_thread *threads;   size_t nthreads;  /* sorted by process, tid */
	trace_stream *streams;   size_t nstreams;  /* sorted by process, gpu, ctx, stream */
	trace_lane *lanes;       size_t nlanes;    /* sorted by process, gpu */
	trace_domain *domains;   size_t ndomains;

	trace_work work;
	trace_calls calls;
	trace_ranges pushpop;    /* eventType 59: ranges that nest on their thread */
	trace_ranges startend;   /* eventType 60: ranges that may cross threads */
	vec(trace_range_kind) range_kinds;       /* kinds of pushpop and startend */
	trace_metric *metrics;   size_t nmetrics;  /* sorted by card, type, id (TRACE_METRICS) */
	trace_thread_events marks;        /* NVTX marks: eventType 34 (TRACE_MARKS) */
	trace_thread_events os;           /* calls of the operating system's library (TRACE_OS) */
	trace_thread_events mpi;          /* MPI calls: from the tables of MPI or, if there are none, ranges of the
					   * domain MPI (TRACE_MPI) */
	trace_stretches stretches;       /* when threads ran on a CPU (TRACE_SWITCHES) */
	trace_thread_events samples;      /* samples of threads on a CPU (TRACE_SAMPLES) */
	trace_chains chains;     /* call chains of samples (TRACE_CHAINS) */
	trace_chains call_chains;        /* call chains of API calls (TRACE_CALL_CHAINS) */
	trace_captures captures;
	trace_syncs syncs;
	trace_payloads payloads;
	uint8_t *comm;           /* for each element of work.types: COMM_KERNEL, COMM_COPY or 0; use trace_is_comm */

	struct trace_kept *kept; /* list of the values that trace_keep keeps */
	pthread_mutex_t keeping; /* locked to add to this list */
} trace;

/* Open a trace on which up to `threads` threads may work.  `say` must live as long as the trace.  NULL after a
 * problem. */
trace *trace_open(const char *path, int threads, notes *say);

void trace_free(trace *t);

/* Get a value that is computed from a loaded trace once and kept as long as the trace.  The first call with a certain
 * `make` and `which` calls make(t, which), which must not return NULL; later calls with the same two return the same
 * value.  trace_free frees it with `drop`.  Several threads may call this, and `make` may itself call trace_keep for
 * other values. */
typedef void *trace_make(trace *t, int64_t which);
void *trace_keep(trace *t, trace_make *make, int64_t which, void (*drop)(void *made));

/* Is `proc` the process with this pid?  Unless sub is -1, its global_sub must also be sub. */
bool trace_is_process(const trace *t, uint32_t proc, int64_t pid, int64_t sub);

/* Does the trace have work on a GPU with this number, or samples of its metrics? */
bool trace_has_gpu(const trace *t, int64_t gpu);

/* Does the trace have calls with correlation ids?  If it does, work without a launching call is an exception. */
bool trace_has_launches(const trace *t);

/* The table of strings: StringIds, otherwise the first table with only an id and a value; NULL if there is none. */
const db_table *trace_strings_table(const db *d);

/* Find the lanes of a process; NONE: of all processes.  Returns the index of the first one, and sets *end to the index
 * after the last one. */
size_t trace_find_lanes(const trace *t, uint32_t proc, size_t *end);

/* Find the streams, or the threads, of a process in the same way. */
size_t trace_find_streams(const trace *t, uint32_t proc, size_t *end);
uint32_t trace_find_threads(const trace *t, uint32_t proc, uint32_t *end);

/* The indices of all calls, sorted by thread, in their order within each thread.  The caller frees the array.  `first`
 * must have room for nthreads + 1 numbers; the indices of thread th are elements first[th] to first[th + 1] - 1. */
uint32_t *trace_group_calls(const trace *t, size_t *first);

/* Look up ids in nsys's table of strings.  `ids` has the ids that occur in a column.  Returns an array whose element k
 * is the string with the id ids->value[k], or STR_NONE if the table lacks it.  The caller frees the array.  NULL after
 * a problem. */
uint32_t *trace_find_strings(trace *t, const dict *ids);

/* Widen trace_proc.events of the process with this global id by a span of its events, loaded or not; with `gpu`, also
 * trace_proc.gpu.  Does nothing if the trace has no such process. */
void trace_widen_process(trace *t, int64_t global_id, ival span, bool gpu);

/* The index of the process, or of the thread, with this global id; NONE: the trace has no events of it. */
uint32_t trace_proc_of(const trace *t, int64_t global_id);
uint32_t trace_thread_of(const trace *t, int64_t global_id);

/* Build a trace_reach of n events from their ends.  The caller frees `latest`. */
trace_reach trace_reach_build(const int64_t *end, size_t n);

/* The first block, from `block` on, with an event that ends at the moment or later; SIZE_MAX: there is none. */
size_t trace_reach_find_from(const trace_reach *r, size_t block, int64_t moment);

/* The last block before `block` with an event that ends after the moment; SIZE_MAX: there is none. */
size_t trace_reach_find_before(const trace_reach *r, size_t block, int64_t moment);

/* The latest end of the events in the blocks before `block`; INT64_MIN: there are none. */
int64_t trace_reach_latest_before(const trace_reach *r, size_t block);

static inline uint32_t work_name(const trace_work *w, size_t work)
{
	return w->types.v[w->type[work]].name;
}

static inline uint32_t work_full(const trace_work *w, size_t work)
{
	return w->types.v[w->type[work]].full;
}

static inline uint32_t work_grid(const trace_work *w, size_t work)
{
	return w->types.v[w->type[work]].grid;
}

static inline uint32_t work_block(const trace_work *w, size_t work)
{
	return w->types.v[w->type[work]].block;
}

static inline uint32_t ranges_thread(const trace_ranges *r, size_t i)
{
	return r->kinds[r->kind[i]].thread;
}

static inline uint32_t ranges_domain(const trace_ranges *r, size_t i)
{
	return r->kinds[r->kind[i]].domain;
}

static inline uint32_t calls_thread(const trace_calls *c, size_t i)
{
	return c->kinds[c->kind[i]].thread;
}

static inline uint32_t calls_name(const trace_calls *c, size_t i)
{
	return c->kinds[c->kind[i]].name;
}

static inline uint8_t calls_class(const trace_calls *c, size_t i)
{
	return c->kinds[c->kind[i]].class;
}

static inline int64_t thread_events_end(const trace_thread_events *a, size_t i)
{
	return a->end ? a->end[i] : a->start[i];
}

/* Compare two pieces of work by start, then by index, as a function for sort_order (base/sort.h); w is the
 * trace_work. */
int trace_compare_starts(uint32_t a, uint32_t b, const void *w);

/* The time at which work was launched; its start, if its call is not in the trace. */
static inline int64_t trace_launch_time(const trace *t, size_t work)
{
	return t->work.launch[work] == NONE ? t->work.start[work] : t->calls.start[t->work.launch[work]];
}

/* Is it a kernel that communicates?  Only this function and trace_is_comm decide what is communication. */
static inline bool trace_is_comm_kernel(const trace *t, size_t work)
{
	return t->comm[t->work.type[work]] & COMM_KERNEL && t->work.kind[work] == WORK_KERNEL;
}

/* Is it a kernel that communicates, or a copy between GPUs? */
static inline bool trace_is_comm(const trace *t, size_t work)
{
	uint8_t comm = t->comm[t->work.type[work]];

	return comm && (t->work.kind[work] == WORK_COPY ? comm & COMM_COPY : trace_is_comm_kernel(t, work));
}

/* Is it a migration of unified memory?  The driver makes migrations, so no call launches them. */
static inline bool trace_is_migration(const trace *t, size_t work)
{
	return t->work.kind[work] == WORK_COPY &&
		strncmp(str_at(&t->names, work_name(&t->work, work)), "memcpy um_", 10) == 0;
}

/* Is it a kernel that does not communicate, or a whole graph? */
static inline bool trace_is_compute(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH && !trace_is_comm(t, work);
}
