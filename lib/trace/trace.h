/*
 * trace - one Nsight Systems export in memory, in the words of share/conventions.md.
 *
 *     trace *t = trace_open("run.sqlite", 2);    // NULL: the reason was printed
 *     load_trace(t, TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES, NULL);     // load.h
 *     for (size_t i = 0; i < t->work.n; i++)
 *         ... t->work.start[i] ... t->streams[t->work.stream[i]].proc ...
 *     trace_free(t);
 *
 * This module and the loaders over it (work, lane, calls, join, nvtx, range, load)
 * alone know the schema and its versions.  Everything is stored by column and refers to
 * other things by index: work to streams and calls, calls and ranges to
 * threads, threads and streams to processes.  Processes, threads and streams
 * are sorted, so their indices compare as they do; events that start before 0
 * are not there.
 */
#ifndef TRACE_H
#define TRACE_H

#include "sqlite/database.h"
#include "base/dict.h"
#include "base/interval.h"
#include "base/strings.h"

#define NONE UINT32_MAX   /* no such index */

enum {                         /* what to load */
	TRACE_KERNELS = 1,     /* kernels and whole graphs */
	TRACE_COPIES = 2,      /* memory copies and sets */
	TRACE_WORK = 3,        /* both */
	TRACE_CALL_COUNTS = 4096,  /* how many API calls each thread made; the next ones say that too */
	TRACE_CALLS = 4,       /* API calls */
	TRACE_CALL_TIMES = 8,  /* how long they took, and what they are for */
	TRACE_CALL_NAMES = 16,
	TRACE_LAUNCH = 32,     /* which call launched what; without TRACE_CALLS only those calls are kept */
	TRACE_COMM_LAUNCH = 64,  /* the same of communication kernels alone */
	TRACE_LAUNCHED = 128,  /* no call, only whether there is one: work.launch is NONE or not */
	TRACE_RANGE_COUNTS = 8192, /* how many NVTX ranges each thread has; the next ones say that too */
	TRACE_RANGE_TIMES = 512,   /* NVTX ranges without their names, domains, thread names */
	TRACE_RANGES = 256,    /* the same with their names */
	TRACE_BYTES = 1024,    /* what copies and sets moved */
	TRACE_FULL = 2048      /* demangled kernel names */
};

enum work_kind { WORK_KERNEL, WORK_GRAPH, WORK_COPY, WORK_SET };

typedef struct {
	int64_t id;              /* globalId >> 24 */
	int64_t pid;
	int64_t rank;            /* from the setup label; -1: none */
	const char *mesh, *run;  /* its two parts, or NULL */
	const char *name;        /* executable, or NULL */
	ival events, gpu;        /* span of all events, of GPU work; a > b: none */
	bool calls;              /* does it make API calls? */
	size_t launches;         /* those that launch (TRACE_CALL_COUNTS) */
} trace_proc;

typedef struct {
	uint32_t proc;
	int64_t tid;
	uint32_t name;           /* string, or STR_NONE */
	size_t calls;            /* API calls it made (TRACE_CALL_COUNTS) */
	size_t ranges;           /* push/pop and start/end ranges (TRACE_RANGE_COUNTS) */
	size_t nccl_ranges;      /* push/pop ranges of NCCL's domain (TRACE_RANGE_COUNTS) */
} trace_thread;

typedef struct {                 /* correlation ids: small ones, unless one does not fit 32 bits */
	uint32_t *small;
	int64_t *wide;
} trace_ids;

static inline int64_t trace_id(const trace_ids *ids, size_t i)
{
	return ids->wide ? ids->wide[i] : ids->small[i];
}

typedef struct {
	uint32_t proc;
	int64_t gpu, ctx, stream;
	char class;              /* 'c' compute, 'm' communication, 'y' copy: over the whole trace */
} trace_stream;

/* How far events reach that are sorted by start: by block of REACH_BLOCK, the latest end up to the
 * block's last.  It finds the events of a window without looking at all that came before. */
enum { REACH_BLOCK = 256 };

typedef struct {                 /* a process's work on one GPU: a stretch of the work arrays */
	uint32_t proc;
	int64_t gpu;
	size_t first, n;
	int64_t *reach;
} trace_lane;

typedef struct {
	uint32_t proc;
	int64_t id;
	uint32_t name;           /* string, or STR_NONE: the default domain */
	bool nccl;
} trace_domain;

typedef struct {                 /* sorted by lane, then start */
	size_t n;
	int64_t *start, *end;
	trace_ids corr;          /* until it is joined to calls */
	uint32_t *stream;
	uint32_t *name;          /* string: short kernel name, "graph 1", "memcpy h2d", "memset" */
	uint32_t *full;          /* string: demangled kernel name (TRACE_FULL) */
	uint32_t *launch;        /* the call that launched it, or NONE (TRACE_LAUNCH) */
	int64_t *bytes;          /* TRACE_BYTES */
	uint8_t *copy_kind, *src_kind, *dst_kind;
	uint8_t *kind;           /* enum work_kind */
} trace_work;

typedef struct {                 /* sorted by start */
	size_t n;
	int64_t *start;
	uint32_t *thread;
	int64_t *end;            /* TRACE_CALL_TIMES */
	uint8_t *class;          /* enum call_class (TRACE_CALL_TIMES) */
	int64_t *reach;          /* TRACE_CALL_TIMES */
	uint32_t *name;          /* string, as in the trace: cudaLaunchKernel_v7000 (TRACE_CALL_NAMES) */
} trace_calls;

typedef struct {                 /* sorted by thread, start, longest first: outer before inner */
	size_t n;
	int64_t *start, *end;
	uint32_t *thread, *name, *domain;
} trace_ranges;

typedef struct {
	const char *path;        /* as the user named it: the trace column */
	db *db;
	str_pool names;
	bool has_cuda, has_nvtx; /* was any table of that kind captured? */
	ival span;               /* of all events; a > b: none */
	ival work_span;          /* of GPU work */

	trace_proc *procs;       size_t nprocs;    /* by pid */
	trace_thread *threads;   size_t nthreads;  /* by process, tid */
	trace_stream *streams;   size_t nstreams;  /* by process, gpu, ctx, stream */
	trace_lane *lanes;       size_t nlanes;    /* by process, gpu */
	trace_domain *domains;   size_t ndomains;

	trace_work work;
	trace_calls calls;
	trace_ranges pushpop;    /* eventType 59: they nest on their thread */
	trace_ranges startend;   /* eventType 60: they cross threads */
	bool *comm;              /* by string: is a kernel of this name communication? */
} trace;

trace *trace_open(const char *path, int threads);

void trace_free(trace *t);

/* The process with that pid, NONE if there is none. */
uint32_t trace_pid(const trace *t, int64_t pid);

/* The strings of t->names behind the ids that a column of a table holds: by key of the dict, STR_NONE
 * where there is none, for the caller to free.  NULL after a complaint. */
uint32_t *trace_strings(trace *t, const dict *ids);

/* The spans of what is not loaded, and of what is, are widened here. */
void trace_widen(trace *t, int64_t global_id, ival span, bool gpu);

/* Indices of the process and the thread of a global id that the loaders announced. */
uint32_t trace_proc_of(const trace *t, int64_t global_id);
uint32_t trace_thread_of(const trace *t, int64_t global_tid);

int64_t *trace_reach(const int64_t *end, size_t n);

static inline bool trace_is_comm(const trace *t, size_t work)
{
	return t->work.kind[work] == WORK_KERNEL && t->comm[t->work.name[work]];
}

static inline bool trace_is_compute(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH && !trace_is_comm(t, work);
}

#endif
