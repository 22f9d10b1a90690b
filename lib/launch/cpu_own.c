#include "launch/cpu_own.h"
#include "base/memory.h"
#include "base/search.h"
#include "launch/projection.h"
#include "trace/asleep.h"
#include "trace/sync_calls.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

enum {
	LAUNCH_NS = 2000,       /* how long a launch takes without a profiler */
	SLOWED_NS = 20000       /* the longest launch that a profiler alone explains */
};

enum { BLOCK = 8 };             /* number of launches in a block */

typedef struct {                /* what launches cost, as in cpu_own_time */
	int64_t profiler, slowed;
} cost;

typedef struct {
	const uint32_t *work;   /* the work of the process, in order of launch */
	size_t n;
	vec(uint32_t) launches; /* by launching call: the index in `work` where its work begins */
	vec(cost) before;       /* by block of launches: the cost of all launches before it */
	cost all;               /* the cost of all launches */
	vec(ival) found;        /* waits in calls, in any order */
	ival_set waits;         /* the union of these waits and of the time off the CPU */
} process;

struct cpu_own {
	trace *t;
	process *procs;         /* by process */
};

enum launch_kind {
	ONE,                    /* it launches one kernel or memset */
	OTHER,
	PAGEABLE                /* it copies from or to pageable memory */
};

/* The kind of launch i, by the number of its pieces of work and by the piece that is last in trace.work. */
static enum launch_kind cpu_own_classify_launch(const cpu_own *c, const process *p, size_t i)
{
	const trace_work *w = &c->t->work;
	const uint32_t *pieces = p->work + p->launches.v[i];
	size_t n = (i + 1 < p->launches.n ? p->launches.v[i + 1] : p->n) - p->launches.v[i];
	uint32_t last = pieces[0];

	for (size_t k = 1; k < n; k++)
		last = pieces[k] > last ? pieces[k] : last;
	return work_is_pageable(c->t, last) ? PAGEABLE :
		n == 1 && w->kind[last] != WORK_COPY && w->kind[last] != WORK_GRAPH ? ONE : OTHER;
}

static uint32_t cpu_own_call_of_launch(const cpu_own *c, const process *p, size_t i)
{
	return c->t->work.launch[p->work[p->launches.v[i]]];
}

static void cpu_own_add_launch(const cpu_own *c, size_t call, enum launch_kind kind, cost *to)
{
	int64_t ns = c->t->calls.end[call] - c->t->calls.start[call];
	int64_t more = ns > LAUNCH_NS && kind == ONE ? ns - LAUNCH_NS : 0;

	to->profiler = ns_add(to->profiler, more);
	to->slowed += more < SLOWED_NS - LAUNCH_NS ? more : SLOWED_NS - LAUNCH_NS;
}

/* The first launch that starts after the moment; if there is none, the number of launches. */
static size_t cpu_own_first_launch_after(const cpu_own *c, const process *p, int64_t moment)
{
	size_t i;

	search_first(i, 0, p->launches.n, c->t->calls.start[cpu_own_call_of_launch(c, p, i)] > moment);
	return i;
}

/* Adds a wait, unless a thread of the process launches something during it. */
static void cpu_own_add_wait(const cpu_own *c, process *p, ival at)
{
	size_t next = cpu_own_first_launch_after(c, p, at.a);

	if (next == p->launches.n || c->t->calls.start[cpu_own_call_of_launch(c, p, next)] >= at.b)
		vec_push(&p->found, at);
}

/* Finds the launching calls of a process, their cost, and its waits for pageable copies. */
static void cpu_own_find_launches(cpu_own *c, uint32_t proc)
{
	process *p = &c->procs[proc];
	const trace_calls *k = &c->t->calls;
	const uint32_t *launch = c->t->work.launch;

	p->work = projection_launched(projection_order(c->t), proc, &p->n);
	for (size_t i = 0; i < p->n; i++)
		if (!i || launch[p->work[i]] != launch[p->work[i - 1]])
			vec_push(&p->launches, (uint32_t)i);
	for (size_t i = 0; i < p->launches.n; i++) {
		enum launch_kind kind = cpu_own_classify_launch(c, p, i);
		uint32_t call = cpu_own_call_of_launch(c, p, i);
		if (i % BLOCK == 0)
			vec_push(&p->before, p->all);
		cpu_own_add_launch(c, call, kind, &p->all);
		if (kind == PAGEABLE)
			cpu_own_add_wait(c, p, (ival){ k->start[call], k->end[call] });
	}
}

static process *cpu_own_process_of_thread(const cpu_own *c, uint32_t thread)
{
	return &c->procs[c->t->threads[thread].proc];
}

static void cpu_own_find_waits(cpu_own *c)
{
	const trace_calls *k = &c->t->calls;
	const trace_thread_events *mpi = &c->t->mpi;
	const uint8_t *kind = sync_calls(c->t);

	for (size_t i = 0; i < k->n; i++) {
		uint8_t does = kind[k->kind[i]];
		if (calls_class(k, i) == CALL_SYNC || does == SYNC_CALL_COPY || does == SYNC_CALL_DEVICE)
			cpu_own_add_wait(c, cpu_own_process_of_thread(c, calls_thread(k, i)),
					 (ival){ k->start[i], k->end[i] });
	}
	for (uint32_t th = 0; mpi->n && th < c->t->nthreads; th++)
		for (size_t i = mpi->first[th]; i < mpi->first[th + 1]; i++)
			cpu_own_add_wait(c, cpu_own_process_of_thread(c, th),
					 (ival){ mpi->start[i], thread_events_end(mpi, i) });
}

cpu_own *cpu_own_build(trace *t)
{
	cpu_own *c = mem_new(cpu_own, 1);
	const ival_set *off = asleep_of(t);

	*c = (cpu_own){ .t = t, .procs = mem_new(process, t->nprocs) };
	for (uint32_t i = 0; i < t->nprocs; i++)
		cpu_own_find_launches(c, i);
	cpu_own_find_waits(c);
	for (size_t i = 0; i < t->nprocs; i++) {
		if (c->procs[i].found.n)
			c->procs[i].waits = ival_union(c->procs[i].found.v, c->procs[i].found.n);
		if (off) {
			ival_set in_calls = c->procs[i].waits;
			c->procs[i].waits = ival_or(&in_calls, &off[i]);
			ival_free(&in_calls);
		}
		ival_index(&c->procs[i].waits);
		vec_free(&c->procs[i].found);
	}
	return c;
}

void cpu_own_free(cpu_own *c)
{
	for (size_t i = 0; i < c->t->nprocs; i++) {
		mem_free(c->procs[i].launches.v, c->procs[i].before.v);
		ival_free(&c->procs[i].waits);
	}
	mem_free(c->procs, c);
}

/* The cost of the first n launches. */
static cost cpu_own_cost_before(const cpu_own *c, const process *p, size_t n)
{
	cost all = n / BLOCK < p->before.n ? p->before.v[n / BLOCK] : p->all;

	for (size_t i = n - n % BLOCK; i < n; i++)
		cpu_own_add_launch(c, cpu_own_call_of_launch(c, p, i), cpu_own_classify_launch(c, p, i), &all);
	return all;
}

cpu_own_time cpu_own_in(const cpu_own *c, uint32_t proc, ival cpu)
{
	const process *p = &c->procs[proc];
	size_t a = cpu_own_first_launch_after(c, p, cpu.a - 1), b = cpu_own_first_launch_after(c, p, cpu.b - 1);
	cost from = cpu_own_cost_before(c, p, a), to = cpu_own_cost_before(c, p, b > a ? b : a);

	return (cpu_own_time){ ival_within(&p->waits, cpu.a, cpu.b), to.profiler - from.profiler,
		to.slowed - from.slowed, b > a ? (int64_t)(b - a) : 0 };
}
