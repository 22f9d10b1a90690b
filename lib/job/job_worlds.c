#include "base/group.h"
#include "job/job_parts.h"

#include <string.h>

enum { APART_NS = 1000000000 };         /* ns; at least this lies between captures that ran one after the other */

typedef struct {                /* a trace */
	uint32_t joined;        /* an earlier trace of the same distributed run, or the trace itself */
	bool communicates;      /* does it have operations? */
	bool named;             /* does some operation name its communicator? */
	ival span;              /* from its first operation to its last, on its own clock */
} trace_facts;

typedef struct {
	job *j;
	trace_facts *facts;     /* by trace */
	group ranks;            /* keys: the first trace of a run without named communicators, and a rank of the run */
} worlds_ctx;

static uint32_t job_worlds_root_of(const worlds_ctx *x, uint32_t at)
{
	while (x->facts[at].joined != at)
		at = x->facts[at].joined;
	return at;
}

static void job_worlds_join_traces(worlds_ctx *x, uint32_t a, uint32_t b)
{
	uint32_t first = job_worlds_root_of(x, a), other = job_worlds_root_of(x, b);

	x->facts[first > other ? first : other].joined = first < other ? first : other;
}

static uint32_t job_worlds_trace_of(const job *j, uint32_t op)
{
	return j->procs.v[j->ops.v[op].proc].trace;
}

static void job_worlds_describe_traces(worlds_ctx *x)
{
	const job *j = x->j;

	for (uint32_t i = 0; i < j->traces.n; i++)
		x->facts[i] = (trace_facts){ .joined = i, .span = IVAL_NOWHERE };
	for (uint32_t i = 0; i < j->ops.n; i++) {
		trace_facts *m = &x->facts[job_worlds_trace_of(j, i)];
		m->communicates = true;
		m->span = ival_hull(m->span, (ival){ j->ops.v[i].start, j->ops.v[i].end });
	}
	for (size_t i = 0; i < j->op_comms.n; i++)
		x->facts[job_worlds_trace_of(j, j->op_comms.v[i].op)].named = true;
}

static void job_worlds_join_by_communicator(worlds_ctx *x)
{
	const job *j = x->j;

	for (const job_comm *c = j->comms.v; c < j->comms.v + j->comms.n; c++)
		for (size_t i = 1; i < c->n; i++)
			job_worlds_join_traces(x, j->procs.v[j->members.v[c->first].proc].trace,
					       j->procs.v[j->members.v[c->first + i].proc].trace);
}

/* Were the traces captured on one host, one after the other?  The operations of one must end APART_NS before those of
 * the other begin, because the start of a capture may be known only to the second. */
static bool job_worlds_ran_one_after_other(const worlds_ctx *x, uint32_t a, uint32_t b)
{
	const job_trace *s = &x->j->traces.v[a], *t = &x->j->traces.v[b];
	ival p = x->facts[a].span, q = x->facts[b].span;

	if (!s->host || !t->host || strcmp(s->host, t->host) != 0 || !s->has_utc || !t->has_utc)
		return false;
	return ns_add(s->utc, p.b) < ns_add(t->utc, q.a) - APART_NS ||
		ns_add(t->utc, q.b) < ns_add(s->utc, p.a) - APART_NS;
}

/* Does the run that begins with the trace `first` have a rank of the trace `at` already? */
static bool job_worlds_shares_rank(const worlds_ctx *x, uint32_t first, uint32_t at)
{
	for (size_t i = x->j->traces.v[at].first_proc; i < x->j->procs.n && x->j->procs.v[i].trace == at; i++)
		if (x->j->procs.v[i].rank >= 0 &&
		    group_find(&x->ranks, (int64_t[]){ first, x->j->procs.v[i].rank }) != GROUP_NONE)
			return true;
	return false;
}

static void job_worlds_add_to_world(worlds_ctx *x, uint32_t first, uint32_t at)
{
	const job *j = x->j;

	job_worlds_join_traces(x, first, at);
	for (size_t i = j->traces.v[at].first_proc; i < j->procs.n && j->procs.v[i].trace == at; i++)
		if (j->procs.v[i].rank >= 0)
			group_of(&x->ranks, (int64_t[]){ first, j->procs.v[i].rank });
}

/* Can the trace belong to the distributed run that begins with the trace `first`? */
static bool job_worlds_fits_world(const worlds_ctx *x, uint32_t first, uint32_t at)
{
	if (job_worlds_shares_rank(x, first, at))
		return false;
	for (uint32_t i = first; i < at; i++)
		if (job_worlds_root_of(x, i) == first && job_worlds_ran_one_after_other(x, i, at))
			return false;
	return true;
}

/* Joins each trace that communicates, but names no communicator, to the first distributed run that it can belong to.
 * Only runs whose first trace names no communicator either are tried; that trace may be one without operations.  A
 * trace that fits no run begins one of its own. */
static void job_worlds_join_unnamed(worlds_ctx *x)
{
	for (uint32_t i = 0; i < x->j->traces.n; i++) {
		uint32_t first = 0;
		if (!x->facts[i].communicates || x->facts[i].named)
			continue;
		while (first < i &&
		       (x->facts[first].joined != first || x->facts[first].named ||
			!job_worlds_fits_world(x, first, i)))
			first++;
		job_worlds_add_to_world(x, first, i);
	}
}

void job_find_worlds(job *j)
{
	worlds_ctx x = { .j = j, .facts = mem_new(trace_facts, j->traces.n), .ranks.width = 2 };

	job_worlds_describe_traces(&x);
	job_worlds_join_by_communicator(&x);
	job_worlds_join_unnamed(&x);
	j->worlds = 0;
	for (uint32_t i = 0; i < j->traces.n; i++) {
		j->traces.v[i].named = x.facts[i].named;
		j->traces.v[i].world = job_worlds_root_of(&x, i) == i ? (uint32_t)j->worlds++ :
									j->traces.v[job_worlds_root_of(&x, i)].world;
	}
	free(x.facts);
	group_free(&x.ranks);
}
