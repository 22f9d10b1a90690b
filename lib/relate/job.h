/*
 * job - the communication of all ranks, from one trace or from many, and who waits for whom.
 *
 *     job *j = job_new();
 *     size_t at = job_add(j, t, NULL, say);      // of each trace; it can be freed afterwards
 *     job_match(j, JOB_CLOCK_BEST, say);
 *     for (size_t i = j->traces.v[at].first; i < j->kernels.n; i++)
 *         if (j->kernels.v[i].last != NONE)
 *             printf("%lld ns\n", (long long)job_wait(&j->kernels.v[i]));
 *     job_free(j);
 *
 * Operations of one communicator are numbered in each process.  Those of the same
 * number are one collective, whose processes arrive when their kernels start; sends
 * and receives are paired by peer.  Only communication is kept of a trace.
 * share/conventions.md, "How the clocks are aligned", says how times of different
 * traces are compared.
 */
#ifndef JOB_H
#define JOB_H

#include "base/memory.h"
#include "base/strings.h"
#include "relate/nccl_ops.h"

enum job_clock {
	JOB_CLOCK_BEST,         /* UTC, corrected by the ends of collectives if they contradict it */
	JOB_CLOCK_UTC,
	JOB_CLOCK_ENDS,         /* the ends of collectives, whatever UTC says */
	JOB_CLOCK_NONE          /* the times as they are */
};

typedef struct {
	const char *path;
	bool has_utc;
	int64_t utc;
	const char *host;       /* NULL: the trace does not say */
	size_t first;           /* its first kernel */
	int64_t shift;          /* its time plus this is the time on the clock of the first trace, */
	int64_t pairing;        /* and the same on the clock that operations are paired by, whatever clock is asked for */
} job_trace;

typedef struct {
	uint32_t trace;
	int64_t pid, sub, rank; /* as in trace_proc */
	const char *shown;      /* its rank, or its pid if it has none */
} job_proc;

typedef struct {
	uint64_t id;
	int64_t size;           /* of its creation; TRACE_UNKNOWN: not captured */
	size_t first, n;        /* its processes: in job.members */
} job_comm;

typedef struct {                /* an operation or a message, to be found again in another process */
	uint32_t at;            /* its number in job.ops or job.messages */
	uint32_t name;
	int64_t bytes, start, end;
	bool needs_all;         /* it cannot end before all processes have arrived */
	bool mixed;             /* a group of several communicators, which may look different in each process */
} job_item;

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
	bool mixed;             /* several */
	uint32_t name;          /* string of job.names, or STR_NONE */
	int64_t bytes;          /* TRACE_UNKNOWN: not known */
	int64_t start, end;     /* of its first kernel, and of its last */
	uint32_t card;          /* the GPU of its first kernel, in all traces: string of job.names, or STR_NONE */
	bool messages_only;
	size_t first_message, nmessages;
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
	int64_t start, end, gpu, ctx, stream, launch;   /* TRACE_UNKNOWN: the trace does not say */
	uint32_t name;          /* string of job.names */
	uint32_t stage;         /* the same; STR_NONE unless the caller sets it */
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
	vec(job_party) parties;
	vec(uint32_t) partners;         /* operations */
	vec(nccl_creation) creations;
	vec(struct { uint32_t op; uint64_t comm; }) op_comms;    /* the communicators that each names */
	str_pool names;
	arena texts;
} job;

job *job_new(void);
void job_free(job *j);

/* Add the communication of a trace, loaded as nccl_ops_find needs it.  Its number, or SIZE_MAX after a problem.
 * kernel, unless it is NULL, becomes an array by work: the number of a communication kernel, NONE for other work;
 * the caller frees it. */
size_t job_add(job *j, trace *t, uint32_t **kernel, notes *say);

/* Match the operations of all traces.  Remarks say how clocks were aligned, and what could not be matched. */
void job_match(job *j, enum job_clock clock, notes *say);

/* When the process of an operation arrives, on the clock of the first trace. */
int64_t job_arrival(const job *j, uint32_t op);

/* Warn of processes of different traces that take part in the same operations on the same GPU. */
void job_warn_shared(const job *j, notes *say);

/* How many processes the communicator has. */
int64_t job_ranks(const job *j, uint32_t comm);

/* Sums and differences of times that a hostile trace may have chosen: they end where the numbers do. */
static inline int64_t job_plus(int64_t a, int64_t b)
{
	int64_t c;

	return !__builtin_add_overflow(a, b, &c) ? c : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t job_minus(int64_t a, int64_t b)
{
	int64_t c;

	return !__builtin_sub_overflow(a, b, &c) ? c : b > 0 ? INT64_MIN : INT64_MAX;
}

/* How long a matched kernel waits. */
static inline int64_t job_wait(const job_kernel *k)
{
	return k->arrival > k->start ? k->arrival - k->start : 0;
}

/* ---- the parts of job_match */

/* Find the clock that operations are paired by.  by_ends: the ends of collectives decide, and remarks say how far they
 * are from UTC; otherwise UTC does, between two traces for which it can be right.  False: it is not for some. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* What UTC says: the time of the trace plus this is that of the first one.  0 if one of them does not say. */
int64_t job_utc(const job *j, const job_trace *t);

void job_pair(job *j, notes *say);

typedef struct {
	const job_item *v;
	size_t n;
} job_sequence;

typedef struct {
	int64_t shift;          /* item i of one sequence is item i + shift of the other */
	size_t pairs;           /* operations that they share and that need all processes, */
	size_t impossible;      /* and of these, those that end before both have arrived */
} job_fit;

/* The shift of b that makes its items those of a, for clocks that differ by ahead: b's time plus this is a's.
 * False: there is none. */
bool job_best_shift(job_sequence a, job_sequence b, int64_t ahead, job_fit *best);

/* Do they agree under this shift, whatever their times? */
bool job_agree(job_sequence a, job_sequence b, int64_t shift);

static inline job_sequence job_items(const job_member *m)
{
	return (job_sequence){ m->items.v, m->items.n };
}

#endif
