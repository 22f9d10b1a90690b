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
 * Only the files of this folder know the schema and its versions.  Everything is
 * stored by column and refers to other things by index: work to streams and
 * calls, calls and ranges to threads, threads and streams to processes.
 * Processes, threads and streams are sorted, so that their indices compare the way
 * they do.  Events that start before 0 are left out.  Several traces can be open
 * at once.
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
#define CAPTURE_OUTSIDE (NONE - 1)   /* a graph node whose creation is not in the trace */

/* What to load.  The needs of several questions can be combined with |: each then finds what it asked for, and perhaps
 * more.  How many calls and ranges each thread has, and when processes have events, is always known. */
enum {
	TRACE_KERNELS = 1,      /* kernels and whole graphs */
	TRACE_COPIES = 2,       /* memory copies and sets */
	TRACE_WORK = 3,         /* both */
	TRACE_FULL = 4,         /* demangled kernel names */
	TRACE_SHAPE = 8,        /* grid and block of kernels */
	TRACE_LAUNCH = 16,      /* which call launched what, and at least these calls */
	TRACE_CALLS = 32,       /* all API calls */
	TRACE_CALL_CHAINS = 64, /* their call chains; implies TRACE_CALLS */
	TRACE_SYNCS = 128,      /* records of CUDA events, and synchronizations; implies TRACE_CALLS and TRACE_LAUNCH */
	TRACE_RANGES = 256,     /* NVTX ranges, and the names of threads */
	TRACE_PAYLOADS = 512,   /* the payloads of NCCL's ranges; implies TRACE_RANGES */
	TRACE_MARKS = 1024,     /* NVTX marks */
	TRACE_CAPTURES = 2048,  /* when the CUDA graph nodes that work replays were created, if the trace has that */
	TRACE_METRICS = 4096,   /* samples of the GPUs' units; they widen the span of the trace */
	TRACE_CPU = 1 << 13,    /* processes, threads and spans of the next three; implied by each of them */
	TRACE_OS = 1 << 14,     /* calls of the operating system's library */
	TRACE_SWITCHES = 1 << 15,       /* when threads run on a CPU, and when they wait for one */
	TRACE_SAMPLES = 1 << 16,        /* samples of threads on a CPU; implied by the next */
	TRACE_CHAINS = 1 << 17, /* their call chains */
	TRACE_MPI = 1 << 18,    /* MPI calls of threads that have other events */
	TRACE_MPI_SPAN = 1 << 19,       /* MPI calls widen the spans of processes and of the trace; implies TRACE_MPI */
	TRACE_RESOURCES = 1 << 20       /* registers and shared memory of kernels; implies TRACE_SHAPE */
};

enum work_kind { WORK_KERNEL, WORK_GRAPH, WORK_COPY, WORK_SET };

typedef struct {                 /* calls that launch, copy, set or wait for work, and returned an error */
	size_t calls, launches;  /* how many, and those of class launch among them */
	int64_t at;              /* when the first one starts, */
	uint32_t name;           /* its name, as that of a trace_call_kind, */
	int64_t returned;        /* and what it returned */
} trace_failed;

typedef struct {
	int64_t id;              /* a process of global_id.h */
	int64_t pid;
	int64_t sub;             /* global_sub of id if another process of the trace has the same pid, else -1 */
	char shown[NUMBER_PID_SIZE];     /* the pid as shown everywhere: "693", or "693:2" if sub is 2 */
	int64_t rank;            /* from the setup label; -1: none */
	const char *mesh, *run;  /* the two other parts of the label, or NULL */
	int64_t label;           /* when it was set, if it has a rank */
	const char *name;        /* executable, else its main thread's, or NULL (process_names.h) */
	ival events, gpu;        /* span of all its events, and of its GPU work; a > b: none */
	bool calls;              /* does it make API calls? */
	size_t launches;         /* how many calls of class launch it made, */
	trace_failed failed;     /* and which calls failed */
	int64_t loads;           /* when the last call that loads a module or a library starts, or TRACE_UNKNOWN */
	size_t kernels;          /* how many kernels and whole graphs it ran, loaded or not */
} trace_proc;

typedef struct {
	uint32_t proc;
	int64_t tid;
	uint32_t name;           /* string, or STR_NONE (TRACE_RANGES) */
	size_t calls;            /* API calls it made */
	size_t ranges;           /* push/pop and start/end ranges */
	size_t nccl_ranges;      /* push/pop ranges of NCCL's domain */
} trace_thread;

typedef struct {
	uint32_t proc;
	int64_t gpu, ctx, stream;        /* TRACE_UNKNOWN: the trace does not say (ctx, stream) */
	char class;              /* 'c' compute, 'm' communication, 'y' copy: over the whole trace */
} trace_stream;

/* How far events reach that are sorted by start: the latest end in each block of REACH_BLOCK events, and a tree of the
 * latest over them.  It finds the events of a window without looking at all the earlier ones, also where one that
 * started long before reaches into every window. */
enum { REACH_BLOCK = 256 };

typedef struct {
	size_t leaves;          /* a power of two, more than there are blocks */
	int64_t *latest;        /* 1: of all events; 2 i and 2 i + 1: the halves of i; leaves + b: of block b */
} trace_reach;

typedef struct {                 /* a process's work on one GPU: a slice of the work arrays */
	uint32_t proc;
	int64_t gpu;
	size_t first, n;
	trace_reach reach;
} trace_lane;

typedef struct {
	uint32_t proc;
	int64_t id;
	uint32_t name;           /* string, or STR_NONE: the default domain */
	bool nccl, mpi;
	bool inner;              /* its ranges are those of libraries: listed, but no place and no step */
} trace_domain;

typedef struct {                 /* what work of the same kind, name and shape has in common: strings */
	uint32_t name;           /* short kernel name or STR_NONE, "graph 1", "memcpy h2d", "memcpy", "memset";
				    "memcpy p2p" if the devices differ, whatever copy_kind says */
	uint32_t full;           /* demangled kernel name, else the short one (TRACE_FULL) */
	uint32_t grid, block;    /* 128x1x1, or STR_NONE (TRACE_SHAPE) */
	int64_t registers;       /* of a thread, or TRACE_UNKNOWN (TRACE_RESOURCES) */
	int64_t shared;          /* bytes of a block, static and dynamic, or TRACE_UNKNOWN (TRACE_RESOURCES) */
} work_type;

enum { COMM_KERNEL = 1, COMM_COPY = 2 };        /* a kernel, or a copy, of this name is communication */

typedef struct {                 /* sorted by lane, then start */
	size_t n;
	int64_t *start, *end;
	int64_t *corr;           /* correlation ids; 0: none */
	uint32_t *stream;        /* in streams; until order_work_build in work_raw.places */
	uint32_t *type;          /* in types; work_name and those after it read this */
	vec(work_type) types;
	uint32_t *launch;        /* the call that launched it, or NONE (TRACE_LAUNCH) */
	int64_t *node;           /* only while loading: graphNodeId, 0 if it has none; graph_nodes.h makes capture */
	uint32_t *capture;       /* the first creation of its graph node: an index of captures, CAPTURE_OUTSIDE or, if
				  * it is of no node, NONE (TRACE_CAPTURES; NULL: no creations are in the trace) */
	int64_t *bytes;          /* negative: the trace does not say */
	uint8_t *copy_kind, *src_kind, *dst_kind;       /* numbers of copies and sets */
	uint8_t *kind;           /* enum work_kind */
} trace_work;

typedef struct {                 /* the calls of a thread that have a name */
	uint32_t thread;
	uint32_t name;           /* string as in the trace (cudaLaunchKernel_v7000), or STR_NONE */
	uint8_t class;           /* enum call_class */
} trace_call_kind;

typedef struct {                 /* sorted by start, longest first, thread, class, name */
	size_t n;
	int64_t *start, *end;
	uint32_t *kind;          /* in kinds */
	trace_call_kind *kinds;
	size_t nkinds;
	trace_reach reach;
	uint32_t *chain;         /* in call_chains, or NONE (TRACE_CALL_CHAINS); NULL: of all */
} trace_calls;

typedef struct {                 /* the ranges of a thread in a domain */
	uint32_t thread, domain;
} trace_range_kind;

typedef struct {                 /* sorted by thread, start, longest first: outer before inner */
	size_t n;
	int64_t *start, *end;
	uint32_t *kind;          /* in kinds, those of trace.range_kinds; ranges_thread and ranges_domain read this */
	const trace_range_kind *kinds;
	uint32_t *name;          /* string, or STR_NONE: it has none */
} trace_ranges;

typedef struct {                 /* one metric of one GPU */
	int64_t type;            /* typeId: which GPU and set of metrics, */
	int64_t id;              /* and metricId within it */
	int64_t card;            /* the GPU, as nsys numbers it, */
	int64_t gpu;             /* and as the processes do, as far as they agree (gpu_cards.h) */
	uint32_t name;           /* string, or STR_NONE */
	size_t n;                /* its samples, by time */
	int64_t *time;           /* if they were taken with those of the first metric of its type, the same array */
	size_t first;            /* which that is */
	int64_t *value;
} trace_metric;

typedef struct { /* other events of threads: sorted by thread, start, longest first, name (thread_events.h) */
	size_t n;
	int64_t *start, *end;    /* end NULL: they are moments; thread_events_end knows */
	uint32_t *name;          /* string, or STR_NONE */
	uint32_t *chain;         /* in chains, or NONE: of samples (TRACE_CHAINS) */
	int64_t *reach;          /* by block: the latest end of the thread's events up to it, if it begins with one of
				  * that thread's; thread_events_reaching reads it; NULL: they are moments */
	size_t *first;           /* by thread: where its events begin, and at the end where the last ones end */
} trace_thread_events;

typedef struct {                 /* when threads run on a CPU, and when they wait for one */
	int64_t *at;             /* a thread runs from the first of its moments to the next, waits from there to the
				  * third, runs again, and so on: the last stretch is a run */
	size_t *first, *end;     /* by thread: which moments are its own */
} trace_stretches;

typedef struct {                 /* where samples were taken, or calls made */
	size_t *first;           /* chain c is function[first[c]] up to function[first[c + 1]], the innermost first; */
	uint32_t *function;      /* each is an index into the next two */
	uint32_t *name, *module; /* strings, or STR_NONE; */
	bool *nameless;          /* the name is no symbol but the module again, of calls the address */
	size_t n, nfunctions;    /* how many chains and functions */
	int64_t *id;             /* only while loading: by chain, in order; load_chains_find reads it */
} trace_chains;

typedef struct {                 /* creations of CUDA graph nodes (TRACE_CAPTURES) */
	size_t n;
	int64_t *at;
	uint32_t *thread;        /* the capturing thread; NONE if it has no other events */
} trace_captures;

/* Values of trace_syncs.id, besides TRACE_UNKNOWN (the trace has no such column). */
#define SYNC_UNSEEN 0                    /* it waits for an event whose record CUPTI did not see */
#define SYNC_NO_EVENT UINT32_MAX         /* it is not about an event */

typedef struct {                 /* where synchronizations are */
	int64_t process;         /* as in global_id.h */
	int64_t ctx, stream;     /* TRACE_UNKNOWN or UINT32_MAX: of none */
} trace_sync_place;

typedef struct {                 /* records of CUDA events, and synchronizations, by call, records last (TRACE_SYNCS) */
	size_t n;
	uint32_t *call;          /* rows without a call are left out, and those that nobody needs (sync_calls.h) */
	uint32_t *place;         /* in places, of which there are few */
	trace_sync_place *places;
	size_t nplaces;
	int64_t *id;             /* which record it is, or waits for: see above; NULL: no row says so, but this is */
	int64_t *event;          /* known: the event's number, which is used again once the event is destroyed */
	bool *record;            /* it records an event */
} trace_syncs;

typedef struct {                 /* what NCCL says of a range that names a communicator */
	uint32_t thread;
	int64_t start, end;     /* of the range; end TRACE_UNKNOWN: it was never closed */
	uint64_t comm;          /* NCCL communicator ID */
	int64_t bytes;          /* Message size [bytes]; this and what follows: TRACE_UNKNOWN without such a field */
	int64_t peer;           /* Peer rank */
	int64_t size;           /* No. of ranks: the range creates the communicator, */
	int64_t rank;           /* and Rank, that of the process in it */
} trace_payload;

typedef struct {                 /* TRACE_PAYLOADS */
	trace_payload *v;        /* sorted by thread, start, end from the latest */
	size_t n, room;
	size_t no_schema;       /* payloads of NCCL's ranges that cannot be read: their schema is not in the trace or */
	size_t cut;             /* contradicts itself; they are shorter than their schema, or no JSON */
} trace_payloads;

typedef struct {
	const char *path;        /* the name shown for the trace; a caller may set it to a longer-lived text */
	size_t number;           /* which of the traces of a command line it is, from 0; set by the caller */
	db *db;
	int workers;             /* the threads that may work on it at once */
	notes *say;              /* where problems go */
	void (*watch)(void *ctx, const char *step, size_t done, size_t of);     /* set by a caller that wants to know of
				  * each step of loading, or NULL; */
	void *watch_ctx;         /* what it gets */
	arena texts;
	str_pool names;
	bool has_cuda, has_nvtx; /* does it have a table of that kind? */
	bool has_os, has_switches, has_samples;
	bool has_mpi;            /* without, MPI calls are ranges of the domain MPI, as older nsys writes them */
	ival span;               /* of all events; a > b: none */
	ival work_span;          /* of GPU work */
	ival cuda_nvtx_span;     /* what span is if neither marks nor events of the CPU nor metrics are loaded */

	trace_proc *procs;       size_t nprocs;    /* in the order of global_order */
	trace_thread *threads;   size_t nthreads;  /* by process, tid */
	trace_stream *streams;   size_t nstreams;  /* by process, gpu, ctx, stream */
	trace_lane *lanes;       size_t nlanes;    /* by process, gpu */
	trace_domain *domains;   size_t ndomains;

	trace_work work;
	trace_calls calls;
	trace_ranges pushpop;    /* eventType 59: they nest on their thread */
	trace_ranges startend;   /* eventType 60: they cross threads */
	vec(trace_range_kind) range_kinds;       /* of both */
	trace_metric *metrics;   size_t nmetrics;  /* by card, type, id (TRACE_METRICS) */
	trace_thread_events marks;        /* eventType 34 (TRACE_MARKS) */
	trace_thread_events os;           /* TRACE_OS */
	trace_thread_events mpi;          /* of tables or, without any, ranges of the domain MPI (TRACE_MPI) */
	trace_stretches stretches;       /* TRACE_SWITCHES */
	trace_thread_events samples;      /* TRACE_SAMPLES */
	trace_chains chains;     /* of samples, */
	trace_chains call_chains;        /* and of calls (TRACE_CALL_CHAINS) */
	trace_captures captures;
	trace_syncs syncs;
	trace_payloads payloads;
	uint8_t *comm;           /* by work.types: COMM_...; trace_is_comm reads it */

	struct trace_kept *kept; /* what others worked out of it: see trace_keep */
	pthread_mutex_t keeping;
} trace;

/* Open a trace on which up to `threads` threads may work.  NULL after a problem.  say must live as long as
 * the trace. */
trace *trace_open(const char *path, int threads, notes *say);

void trace_free(trace *t);

/* What is worked out of a loaded trace once and lives as long as it: what make returns (never NULL) when it is first
 * asked for, and drop frees.  which tells apart what one make makes.  Several threads may ask, and make may ask for
 * other things. */
typedef void *trace_make(trace *t, int64_t which);
void *trace_keep(trace *t, trace_make *make, int64_t which, void (*drop)(void *made));

/* Is it the process with that pid and, unless sub is -1, with those bits above the pid (global_sub)? */
bool trace_is_process(const trace *t, uint32_t proc, int64_t pid, int64_t sub);

/* Is there work on a GPU of this number, or are there samples of it? */
bool trace_has_gpu(const trace *t, int64_t gpu);

/* Does it hold the calls that launch work, so that work without one stands out? */
bool trace_has_launches(const trace *t);

/* The table of strings: StringIds, or the first that has just an id and a value; NULL if there is none. */
const db_table *trace_strings_table(const db *d);

/* The lanes of a process, or of all if it is NONE: the first, and where they end. */
size_t trace_lanes(const trace *t, uint32_t proc, size_t *end);

/* The same for its streams and its threads. */
size_t trace_streams(const trace *t, uint32_t proc, size_t *end);
uint32_t trace_threads(const trace *t, uint32_t proc, uint32_t *end);

/* The calls by thread, those of one in order; first has room for all threads and one more: where its calls begin.  The
 * caller frees them. */
uint32_t *trace_calls_by_thread(const trace *t, size_t *first);

/* Look up the string ids in a column of a table: for each key of the dict, its string in t->names, or
 * STR_NONE if there is none.  The caller frees the array.  NULL after a problem. */
uint32_t *trace_strings(trace *t, const dict *ids);

/* Widen the spans of the process with this global id by some of its events, loaded or not. */
void trace_widen(trace *t, int64_t global_id, ival span, bool gpu);

/* Indices of the process and the thread with this global id, NONE if the trace has no events of theirs. */
uint32_t trace_proc_of(const trace *t, int64_t global_id);
uint32_t trace_thread_of(const trace *t, int64_t global_id);

/* Of events that end then.  The caller frees what is latest. */
trace_reach trace_reach_of(const int64_t *end, size_t n);

/* The first block, this or a later one, with an event that ends at the moment or later; SIZE_MAX: none has. */
size_t trace_reaching(const trace_reach *r, size_t block, int64_t moment);

/* The last block before this one with an event that ends after the moment; SIZE_MAX: none has. */
size_t trace_reaching_before(const trace_reach *r, size_t block, int64_t moment);

/* The latest end of what is in the blocks before this one; INT64_MIN: there are none. */
int64_t trace_reach_before(const trace_reach *r, size_t block);

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

/* A sort_cmp of work, by start and at equal starts in its order; w: the trace_work. */
int trace_by_start(uint32_t a, uint32_t b, const void *w);

/* When work was launched or, if that is not in the trace, begins. */
static inline int64_t trace_launched(const trace *t, size_t work)
{
	return t->work.launch[work] == NONE ? t->work.start[work] : t->calls.start[t->work.launch[work]];
}

/* Is it a kernel that communicates, and is it communication of any kind: the one place that decides. */
static inline bool trace_is_comm_kernel(const trace *t, size_t work)
{
	return t->comm[t->work.type[work]] & COMM_KERNEL && t->work.kind[work] == WORK_KERNEL;
}

static inline bool trace_is_comm(const trace *t, size_t work)
{
	uint8_t comm = t->comm[t->work.type[work]];

	return comm && (t->work.kind[work] == WORK_COPY ? comm & COMM_COPY : trace_is_comm_kernel(t, work));
}

/* Is it a migration of unified memory?  The driver makes these, so they have no launch. */
static inline bool trace_is_migration(const trace *t, size_t work)
{
	return t->work.kind[work] == WORK_COPY &&
		strncmp(str_at(&t->names, work_name(&t->work, work)), "memcpy um_", 10) == 0;
}

static inline bool trace_is_compute(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH && !trace_is_comm(t, work);
}
