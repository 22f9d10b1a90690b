/*
 * job - the communication of all ranks, from one trace or from many.
 *
 *     job *all = job_new();
 *     size_t at = job_add(all, t, say);          // each trace; it can be freed afterwards
 *     printf("%zu kernels\n", all->kernels.n - all->traces.v[at].first);
 *     job_free(all);
 *
 * Operations of one communicator are numbered in each process.  Operations with the same number are one collective,
 * and a process arrives at it when its kernel starts.  Sends and receives are paired by peer (job_match.h).  A job
 * keeps only the communication of a trace.  Several answers about the same traces, on several threads, share one job,
 * so that it is gathered and matched once.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"
#include "base/strings.h"
#include "job/job_shift.h"
#include "job/nccl_ops.h"

typedef struct {
	const char *path;
	bool has_utc;           /* does the trace say when its capture began? */
	int64_t utc;            /* with has_utc: when the times of the trace are 0, ns since 1970 */
	const char *host;       /* NULL if the trace does not say */
	size_t first;           /* index of its first kernel in job.kernels */
	size_t first_proc;      /* index of its first process in job.procs */
	int64_t shift;          /* nanoseconds to add to its times, to get times on the clock of the first trace */
	int64_t pairing;        /* like `shift`, but for pairing operations, so that the user's choice of clock does not
				 * change the pairs */
	uint32_t world;         /* the distributed run that the trace belongs to, from 0; traces of several runs may be
				 * in one job */
	bool named;             /* does an operation of the trace name its communicator? */
} job_trace;

typedef struct {
	uint32_t trace;         /* index in job.traces */
	int64_t pid, sub, rank; /* as in trace_proc; sub tells processes with one pid apart, otherwise it is -1 */
	const char *pid_shown;  /* trace_proc.shown: the pid as text */
	const char *shown;      /* its rank as text; without a rank, its pid or PID@FILE (job_name_procs) */
	const char *mesh;       /* its place in the mesh (trace_proc.mesh), such as pp=0/2 dp=1/4; or NULL */
} job_proc;

typedef struct {
	uint64_t id;
	int64_t size;           /* the number of its ranks; TRACE_UNKNOWN: its creation was not captured */
	size_t first, n;        /* its processes, in job.members */
	bool by_order;          /* was it found by the order of operations (job_parts.h)?  If so, its id means
				 * nothing */
} job_comm;

typedef struct {                /* a process on a communicator */
	uint32_t comm, proc;
	int64_t rank;           /* rank in the communicator; TRACE_UNKNOWN if not known */
	int64_t peer;           /* the rank that it sends to and receives from, or JOB_NOBODY, or JOB_SEVERAL */
	vec(job_item) items;    /* its collectives, and its NCCL groups (ncclGroupStart) that contain a collective, in
				 * order of launch */
	bool aligned;           /* its items are numbered so that the same number is the same collective in all aligned
				 * processes; false: no shift fits */
	int64_t shift;          /* if aligned: the number of its first item */
} job_member;

enum { JOB_NOBODY = -1, JOB_SEVERAL = -2 };

typedef struct {                /* an operation in one process */
	uint32_t proc;
	uint32_t comm;          /* NONE if not known, or if there are several */
	uint32_t name;          /* string of job.names, or STR_NONE */
	uint32_t place;         /* string of job.names: the folded name of the range in which its first kernel was
				 * launched (nccl_op.place); or STR_NONE */
	uint32_t card;          /* string of job.names: the GPU of its first kernel, named alike in all traces; or
				 * STR_NONE */
	bool mixed;             /* is it on several communicators? */
	bool messages_only;     /* does it consist of sends and receives only? */
	bool needs_all;         /* does it end only after all its processes have arrived? */
	int64_t bytes;          /* TRACE_UNKNOWN if not known */
	int64_t start, end;     /* the start of its first kernel, and the end of its last */
	uint32_t first_message, nmessages;      /* its sends and receives, in job.messages */
	int64_t seq;            /* number in the communicator; TRACE_UNKNOWN if it has none */
	int64_t transfer;       /* if it is matched: the time of all its kernels without their waits, ns */
	uint32_t party;         /* index in job.parties of the operations that it is matched with; NONE: it is not
				 * matched */
} job_op;

typedef struct {
	uint32_t op;            /* the operation that the message belongs to */
	uint32_t partner;       /* the operation that it is matched with, or NONE */
	bool send;
	int64_t peer, bytes;    /* as in nccl_message */
} job_message;

typedef struct {
	uint32_t op;
	bool leads;             /* is it the first kernel of its operation? */
	uint32_t stream;        /* index in job.streams */
	int64_t start, end;
	int64_t launch;         /* when it was launched; TRACE_UNKNOWN if the trace does not say */
	uint32_t name;          /* string of job.names */
	uint32_t last;          /* the last process to arrive before the kernel ends; the kernel's own process if no
				 * other arrives after the kernel starts; NONE: the kernel is not matched */
	int64_t arrival;        /* unless `last` is NONE: when that process arrives, on the clock of the kernel's
				 * trace */
} job_kernel;

typedef struct {                /* the operations that take part in a collective, or in an exchange of messages */
	size_t first, n;        /* in job.partners, in order of arrival */
	size_t missing;         /* collectives: the number of processes of the communicator whose operation was not
				 * found; messages: the number that have no partner */
} job_party;

typedef struct {
	vec(job_trace) traces;
	vec(job_proc) procs;
	vec(job_comm) comms;
	vec(job_member) members;        /* sorted by communicator, then by process */
	vec(job_op) ops;                /* sorted by trace, then by launch */
	vec(job_message) messages;
	vec(job_kernel) kernels;        /* sorted by trace, then by launch */
	vec(trace_stream) streams;      /* sorted by trace */
	vec(job_party) parties;
	vec(uint32_t) partners;         /* the operations of parties */
	vec(nccl_creation) creations;
	vec(struct { uint32_t op; uint64_t comm; }) op_comms;    /* the communicators that operations name, in order of
								  * operations */
	str_pool names;
	arena texts;

	size_t worlds;                  /* after the match: number of distributed runs that the traces belong to */
	size_t users;                   /* how many calls of job_free are still to come */
	bool matched;                   /* did job_match or job_set_clocks match the operations? */
	notes said;                     /* all remarks of the match */
	notes clocks;                   /* the remarks in `said` that job_set_clocks passes on: those about clocks */
	pthread_mutex_t changing;       /* held while a trace is added, and during the match */
} job;

/* A new job has one user.  job_share adds a user to a job; for NULL, it makes a new job.  Each user calls job_free, and
 * the last call frees the job. */
job *job_new(void);
job *job_share(job *j);
void job_free(job *j);

/* Add the communication of a trace, unless a trace with its path was added before.  The trace must be loaded as
 * nccl_ops_of needs it.  Returns the index of the trace in job.traces.  SIZE_MAX: there was a problem, or the trace is
 * new and the job is already matched. */
size_t job_add(job *j, trace *t, notes *say);

/* The index of a trace in job.traces; SIZE_MAX if it was not added. */
size_t job_find(const job *j, const trace *t);

/* An array with an element for each piece of work of the trace: the index in job.kernels; NONE: the work is no
 * communication kernel.  The caller frees the array.  at: what job_add returned for the trace. */
uint32_t *job_list_kernels(const job *j, size_t at, trace *t);

/* Give processes without a rank different names.  Processes of containers, for example, may all have pid 1.  Processes
 * with the same pid are called PID@FILE, with the trace's file name, or with its path if the file names are the same
 * too. */
void job_name_procs(job *j);

job_item job_item_of(const job *j, uint32_t op);

/* A moment on the clock of an operation's trace, converted to the clock of the first trace. */
int64_t job_on_clock(const job *j, uint32_t op, int64_t moment);

/* When the operation's process arrives at it, on the clock of the first trace. */
int64_t job_arrival(const job *j, uint32_t op);

/* The number of ranks of the communicator; if that is unknown, the number of its processes in the traces. */
int64_t job_ranks(const job *j, uint32_t comm);

/* The distributed run that a process belongs to, after the match. */
static inline uint32_t job_world(const job *j, size_t proc)
{
	return j->traces.v[j->procs.v[proc].trace].world;
}

/* How long a matched kernel waits, ns. */
static inline int64_t job_wait(const job_kernel *k)
{
	return k->arrival > k->start ? k->arrival - k->start : 0;
}

static inline job_sequence job_items(const job_member *m)
{
	return (job_sequence){ m->items.v, m->items.n };
}
