#include "relate/cpu_own.h"
#include "base/memory.h"
#include "base/search.h"
#include "relate/sync_calls.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

enum { LAUNCH_NS = 2000, SLOWED_NS = 20000 };   /* what a launch takes without a profiler, and with one at most */

typedef struct {
	int64_t at;
	int64_t profiler, slowed;       /* of this launch and those before it */
} launch;

static const launch none = { 0 };

typedef struct {
	vec(launch) launches;   /* in order of start */
	vec(ival) found;        /* waits in any order, */
	ival_set waits;         /* and all of them */
} process;

struct cpu_own {
	trace *t;
	process *of;            /* by process */
};

/* What a call launches: nothing, one kernel or set, something else, a pageable copy. */
enum { DOES_NOTHING, ONE, MANY, BLOCKS };

static uint8_t *what_calls_launch(const trace *t)
{
	uint8_t *what = mem_new(uint8_t, t->calls.n);

	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t call = t->work.launch[i];
		bool copy = t->work.kind[i] == WORK_COPY;
		if (call == NONE)
			continue;
		if (work_is_pageable(t, i))
			what[call] = BLOCKS;
		else
			what[call] = what[call] == DOES_NOTHING && !copy && t->work.kind[i] != WORK_GRAPH ? ONE : MANY;
	}
	return what;
}

static void find_launches(cpu_own *c, const uint8_t *what)
{
	const trace_calls *k = &c->t->calls;

	for (size_t i = 0; i < k->n; i++) {
		process *p = &c->of[c->t->threads[k->thread[i]].proc];
		launch before = p->launches.n ? p->launches.v[p->launches.n - 1] : none;
		int64_t ns = k->end[i] - k->start[i], more = what[i] == ONE && ns > LAUNCH_NS ? ns - LAUNCH_NS : 0;
		if (what[i] != DOES_NOTHING)
			vec_push(&p->launches, (launch){ k->start[i], before.profiler + more,
				 before.slowed + (more < SLOWED_NS - LAUNCH_NS ? more : SLOWED_NS - LAUNCH_NS) });
	}
}

/* The first launch after the moment. */
static size_t launch_after(const process *p, int64_t moment)
{
	size_t i;

	search_first(i, 0, p->launches.n, p->launches.v[i].at > moment);
	return i;
}

/* If nobody launches meanwhile. */
static void add_wait(cpu_own *c, uint32_t thread, ival at)
{
	process *p = &c->of[c->t->threads[thread].proc];
	size_t next = launch_after(p, at.a);

	if (next == p->launches.n || p->launches.v[next].at >= at.b)
		vec_push(&p->found, at);
}

static void find_waits(cpu_own *c, const uint8_t *what)
{
	const trace_calls *k = &c->t->calls;
	const trace_acts *mpi = &c->t->mpi;
	const uint8_t *kind = sync_calls(c->t);

	for (size_t i = 0; i < k->n; i++) {
		int does = k->name[i] == STR_NONE ? SYNC_CALL_OTHER : kind[k->name[i]];
		bool waits = k->class[i] == CALL_SYNC || what[i] == BLOCKS || does == SYNC_CALL_COPY ||
			does == SYNC_CALL_DEVICE;
		if (waits)
			add_wait(c, k->thread[i], (ival){ k->start[i], k->end[i] });
	}
	for (size_t i = 0; i < mpi->n; i++)
		add_wait(c, mpi->thread[i], (ival){ mpi->start[i], mpi->end[i] });
}

cpu_own *cpu_own_build(trace *t)
{
	cpu_own *c = mem_new(cpu_own, 1);
	uint8_t *what = what_calls_launch(t);

	c->t = t;
	c->of = mem_new(process, t->nprocs);
	find_launches(c, what);
	find_waits(c, what);
	for (size_t i = 0; i < t->nprocs; i++) {
		if (c->of[i].found.n)
			c->of[i].waits = ival_union(c->of[i].found.v, c->of[i].found.n);
		ival_index(&c->of[i].waits);
		vec_free(&c->of[i].found);
	}
	free(what);
	return c;
}

void cpu_own_free(cpu_own *c)
{
	for (size_t i = 0; i < c->t->nprocs; i++) {
		vec_free(&c->of[i].launches);
		ival_free(&c->of[i].waits);
	}
	mem_free(c->of, c);
}

cpu_own_time cpu_own_in(const cpu_own *c, uint32_t proc, ival cpu)
{
	const process *p = &c->of[proc];
	size_t a = launch_after(p, cpu.a - 1), b = launch_after(p, cpu.b - 1);
	const launch *from, *to;

	if (b < a)
		b = a;
	from = a ? &p->launches.v[a - 1] : &none;
	to = b ? &p->launches.v[b - 1] : &none;
	return (cpu_own_time){ ival_within(&p->waits, cpu.a, cpu.b), to->profiler - from->profiler,
		to->slowed - from->slowed, (int64_t)(b - a) };
}
