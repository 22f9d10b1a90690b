/*
 * job - the communication of all ranks, from one trace or from many.
 *
 *     job *all = job_new();
 *     size_t at = job_add(all, t, say);          // of each trace; it can be freed afterwards
 *     printf("%zu kernels\n", all->kernels.n - all->traces.v[at].first);
 *     job_free(all);
 *
 * Operations of one communicator are numbered in each process.  Those of the same number are one collective, whose
 * processes arrive when their kernels start; sends and receives are paired by peer: job_match.h.  Only communication is
 * kept of a trace.  Several answers about the same traces, on several threads, share one job, so that it is gathered
 * and matched once.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"
#include "base/strings.h"
#include "job/job_shift.h"
#include "job/nccl_ops.h"

typedef struct {
	const char *path;
	bool has_utc;
	int64_t utc;
	const char *host;       /* NULL: the trace does not say */
	size_t first;           /* its first kernel, */
	size_t first_proc;      /* and process */
	int64_t shift;          /* its time plus this is the time on the clock of the first trace, */
	int64_t pairing;        /* and the same on the clock by which operations are paired, whichever is asked for */
	uint32_t world;         /* the job that it is of, counted from 0: traces of several may be added */
	bool named;             /* it names communicators */
} job_trace;

typedef struct {
	uint32_t trace;
	int64_t pid, sub, rank; /* as in trace_proc */
	const char *pid_shown;
	const char *shown;      /* its rank, or its pid if it has none; see job_name_procs */
	const char *mesh;       /* the second part of its label, or NULL */
} job_proc;

typedef struct {
	uint64_t id;
	int64_t size;           /* of its creation; TRACE_UNKNOWN: not captured */
	size_t first, n;        /* its processes: in job.members */
	bool by_order;          /* it was found by the order of operations (job_parts.h); its id means nothing */
} job_comm;

typedef struct {                /* a process on a communicator */
	uint32_t comm, proc;
	int64_t rank;           /* in the communicator; TRACE_UNKNOWN: not known */
	int64_t peer;           /* whom it sends to and receives from: a rank or JOB_... */
	vec(job_item) items;    /* its collectives, and the groups with one, in order of launch */
	bool aligned;           /* they are numbered as the others' are: */
	int64_t shift;          /* the number of the first */
} job_member;

enum { JOB_NOBODY = -1, JOB_SEVERAL = -2 };

typedef struct {                /* an operation in one process */
	uint32_t proc;
	uint32_t comm;          /* NONE: not known, or several */
	uint32_t name;          /* string of job.names, or STR_NONE */
	uint32_t place;         /* the same: as in nccl_op */
	uint32_t card;          /* the same: the GPU of its first kernel, in all traces */
	bool mixed;             /* several communicators */
	bool messages_only;
	bool needs_all;         /* it cannot end before all its processes have arrived */
	int64_t bytes;          /* TRACE_UNKNOWN: not known */
	int64_t start, end;     /* of its first kernel, and of its last */
	uint32_t first_message, nmessages;
	int64_t seq;            /* TRACE_UNKNOWN: it has none */
	int64_t transfer;       /* of all its kernels, if it is matched: their time less what they wait */
	uint32_t party;         /* with whom it is matched: of job.parties; NONE: with nobody */
} job_op;

typedef struct {
	uint32_t op;            /* to which it belongs, */
	uint32_t partner;       /* and the one that it is matched with, or NONE */
	bool send;
	int64_t peer, bytes;    /* as in nccl_message */
} job_message;

typedef struct {
	uint32_t op;
	bool leads;             /* the first kernel of its operation */
	uint32_t stream;        /* of job.streams */
	int64_t start, end, launch;     /* TRACE_UNKNOWN: the trace does not say */
	uint32_t name;          /* string of job.names */
	uint32_t last;          /* the process that arrives last before its end; NONE: not matched */
	int64_t arrival;        /* when that is, on the clock of the kernel's own trace */
} job_kernel;

typedef struct {                /* the operations that take part in a collective, or in an exchange of messages */
	size_t first, n;        /* in job.partners, in order of arrival */
	size_t missing;         /* processes of the communicator whose operation was not found */
} job_party;

typedef struct {
	vec(job_trace) traces;
	vec(job_proc) procs;
	vec(job_comm) comms;
	vec(job_member) members;        /* by communicator, then in the order of processes */
	vec(job_op) ops;                /* by trace, in order of launch */
	vec(job_message) messages;
	vec(job_kernel) kernels;        /* by trace, in order of launch */
	vec(trace_stream) streams;      /* by trace */
	vec(job_party) parties;
	vec(uint32_t) partners;         /* operations */
	vec(nccl_creation) creations;
	vec(struct { uint32_t op; uint64_t comm; }) op_comms;    /* the communicators that each names */
	str_pool names;
	arena texts;

	size_t worlds;                  /* how many jobs the traces are of, after the match */
	size_t users;
	bool matched;
	notes said, clocks;             /* what the match had to say, and what of it is about clocks */
	pthread_mutex_t changing;
} job;

/* A job has one user who is to free it.  job_share adds another; of NULL, it makes one. */
job *job_new(void);
job *job_share(job *j);
void job_free(job *j);

/* Add the communication of a trace, loaded as nccl_ops_of needs it, unless it is there: traces are told by path.  Its
 * number, or SIZE_MAX after a problem. */
size_t job_add(job *j, trace *t, notes *say);

/* The number of a trace, SIZE_MAX if it was not added. */
size_t job_find(const job *j, const trace *t);

/* By work of a trace that was added: the number of a communication kernel, NONE of others.  The caller frees it. */
uint32_t *job_kernels(const job *j, size_t at, trace *t);

/* Tell apart processes without a rank that are shown alike, as those of containers are that all have pid 1: PID@FILE
 * with the file name of its trace, or with its path where file names are the same too. */
void job_name_procs(job *j);

job_item job_item_of(const job *j, uint32_t op);

/* A moment of an operation on the clock of the first trace, and when its process arrives. */
int64_t job_on_clock(const job *j, uint32_t op, int64_t moment);
int64_t job_arrival(const job *j, uint32_t op);

/* How many processes the communicator has. */
int64_t job_ranks(const job *j, uint32_t comm);

/* The job of a process, after the match. */
static inline uint32_t job_world(const job *j, size_t proc)
{
	return j->traces.v[j->procs.v[proc].trace].world;
}

/* How long a matched kernel waits. */
static inline int64_t job_wait(const job_kernel *k)
{
	return k->arrival > k->start ? k->arrival - k->start : 0;
}

static inline job_sequence job_items(const job_member *m)
{
	return (job_sequence){ m->items.v, m->items.n };
}
