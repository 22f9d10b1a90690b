#include "relate/cpu_own.h"
#include "base/memory.h"
#include "base/search.h"
#include "relate/launched.h"
#include "relate/sync_calls.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

enum { LAUNCH_NS = 2000, SLOWED_NS = 20000 };   /* what a launch takes without a profiler, and with one at most */

enum { BLOCK = 8 };             /* launches that are summed up together */

typedef struct {
	int64_t profiler, slowed;
} cost;

typedef struct {
	vec(uint32_t) launches; /* calls that launch work, in order of start; */
	vec(cost) before;       /* by block of these: what those before it cost, */
	cost all;               /* and what all do */
	vec(ival) found;        /* waits in any order, */
	ival_set waits;         /* and all of them */
} process;

struct cpu_own {
	trace *t;
	const launched *launched;
	process *of;            /* by process */
	vec(uint32_t) blocking; /* calls of pageable copies */
};

/* What a call launches: nothing, one kernel or set, something else, a pageable copy. */
enum does { DOES_NOTHING, ONE, MANY, BLOCKS };

/* Of several the last in order of work tells. */
static enum does what_launches(const cpu_own *c, size_t call)
{
	const trace_work *w = &c->t->work;
	size_t n;
	const uint32_t *of = launched_by(c->launched, (uint32_t)call, &n);
	uint32_t last = n ? of[0] : NONE;

	for (size_t i = 1; i < n; i++)
		last = of[i] > last ? of[i] : last;
	if (!n)
		return DOES_NOTHING;
	return work_is_pageable(c->t, last) ? BLOCKS :
		n == 1 && w->kind[last] != WORK_COPY && w->kind[last] != WORK_GRAPH ? ONE : MANY;
}

static void add_launch(const cpu_own *c, size_t call, enum does what, cost *to)
{
	int64_t ns = calls_end(&c->t->calls, call) - c->t->calls.start[call];
	int64_t more = ns > LAUNCH_NS && what == ONE ? ns - LAUNCH_NS : 0;

	to->profiler = ns_add(to->profiler, more);
	to->slowed += more < SLOWED_NS - LAUNCH_NS ? more : SLOWED_NS - LAUNCH_NS;
}

static void find_launches(cpu_own *c)
{
	const trace *t = c->t;

	for (size_t i = 0; i < t->calls.n; i++) {
		enum does what = what_launches(c, i);
		process *p;
		if (what == DOES_NOTHING)
			continue;
		p = &c->of[t->threads[calls_thread(&t->calls, i)].proc];
		if (what == BLOCKS)
			vec_push(&c->blocking, (uint32_t)i);
		if (p->launches.n % BLOCK == 0)
			vec_push(&p->before, p->all);
		vec_push(&p->launches, (uint32_t)i);
		add_launch(c, i, what, &p->all);
	}
}

/* The first launch after the moment. */
static size_t launch_after(const cpu_own *c, const process *p, int64_t moment)
{
	size_t i;

	search_first(i, 0, p->launches.n, c->t->calls.start[p->launches.v[i]] > moment);
	return i;
}

/* If nobody launches meanwhile. */
static void add_wait(cpu_own *c, uint32_t thread, ival at)
{
	process *p = &c->of[c->t->threads[thread].proc];
	size_t next = launch_after(c, p, at.a);

	if (next == p->launches.n || c->t->calls.start[p->launches.v[next]] >= at.b)
		vec_push(&p->found, at);
}

static void find_waits(cpu_own *c)
{
	const trace_calls *k = &c->t->calls;
	const trace_acts *mpi = &c->t->mpi;
	const uint8_t *kind = sync_calls(c->t);

	for (size_t i = 0; i < k->n; i++) {
		uint8_t does = kind[k->kind[i]];
		if (calls_class(k, i) == CALL_SYNC || does == SYNC_CALL_COPY || does == SYNC_CALL_DEVICE)
			add_wait(c, calls_thread(k, i), (ival){ k->start[i], calls_end(k, i) });
	}
	for (size_t i = 0; i < c->blocking.n; i++) {
		uint32_t call = c->blocking.v[i];
		add_wait(c, calls_thread(k, call), (ival){ k->start[call], calls_end(k, call) });
	}
	for (size_t i = 0; i < mpi->n; i++)
		add_wait(c, mpi->thread[i], (ival){ mpi->start[i], mpi->end[i] });
}

cpu_own *cpu_own_build(trace *t)
{
	cpu_own *c = mem_new(cpu_own, 1);

	*c = (cpu_own){ .t = t, .launched = launched_of(t), .of = mem_new(process, t->nprocs) };
	find_launches(c);
	find_waits(c);
	for (size_t i = 0; i < t->nprocs; i++) {
		if (c->of[i].found.n)
			c->of[i].waits = ival_union(c->of[i].found.v, c->of[i].found.n);
		ival_index(&c->of[i].waits);
		vec_free(&c->of[i].found);
	}
	return c;
}

void cpu_own_free(cpu_own *c)
{
	for (size_t i = 0; i < c->t->nprocs; i++) {
		mem_free(c->of[i].launches.v, c->of[i].before.v);
		ival_free(&c->of[i].waits);
	}
	mem_free(c->blocking.v, c->of, c);
}

/* What the first n launches cost. */
static cost cost_of(const cpu_own *c, const process *p, size_t n)
{
	cost all = n / BLOCK < p->before.n ? p->before.v[n / BLOCK] : p->all;

	for (size_t i = n - n % BLOCK; i < n; i++)
		add_launch(c, p->launches.v[i], what_launches(c, p->launches.v[i]), &all);
	return all;
}

cpu_own_time cpu_own_in(const cpu_own *c, uint32_t proc, ival cpu)
{
	const process *p = &c->of[proc];
	size_t a = launch_after(c, p, cpu.a - 1), b = launch_after(c, p, cpu.b - 1);
	cost from = cost_of(c, p, a), to = cost_of(c, p, b > a ? b : a);

	return (cpu_own_time){ ival_within(&p->waits, cpu.a, cpu.b), to.profiler - from.profiler,
		to.slowed - from.slowed, b > a ? (int64_t)(b - a) : 0 };
}
