#include "launch/cpu_waits.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "launch/depends.h"
#include "timeline/process_work.h"
#include "launch/ranges_around.h"
#include "trace/sync_calls.h"
#include "trace/load_work.h"

struct cpu_waits {
	trace *t;
	const depends *d;
	const launched *launched;
	const uint8_t *kind;    /* by kind of call: enum sync_call */
	cpu_wait *v;            /* by thread, then the end of the call */
	size_t n;
	size_t *first;          /* by thread: where its waits begin in `v`; entry nthreads is the number of waits */
	uint32_t *main;         /* by process: its main thread, or NONE */
};

static enum sync_call cpu_waits_kind_of_call(const cpu_waits *c, uint32_t call)
{
	return (enum sync_call)c->kind[c->t->calls.kind[call]];
}

bool cpu_waits_for_copy(const cpu_waits *c, size_t work)
{
	const trace_work *w = &c->t->work;
	enum sync_call kind;

	if (w->kind[work] != WORK_COPY || w->launch[work] == NONE)
		return false;
	kind = cpu_waits_kind_of_call(c, w->launch[work]);
	return kind == SYNC_CALL_COPY || (kind == SYNC_CALL_COPY_ASYNC && work_is_pageable(c->t, work));
}

/* Among the copies that a call made and waited for, the one that ended last while the call ran; or NONE. */
static uint32_t cpu_waits_copy_of_call(const cpu_waits *c, uint32_t call)
{
	const trace *t = c->t;
	uint32_t best = NONE;
	size_t n;
	const uint32_t *work = launched_by(c->launched, call, &n);

	for (size_t i = 0; i < n; i++) {
		int64_t end = t->work.end[work[i]];
		if (end > t->calls.start[call] && end <= t->calls.end[call] && cpu_waits_for_copy(c, work[i]) &&
		    (best == NONE || end > t->work.end[best]))
			best = work[i];
	}
	return best;
}

/* The work that a call waited for; NONE: for nothing, or it is not known.  row: the call's row of trace.syncs, or
 * SIZE_MAX. */
static uint32_t cpu_waits_work_waited_for(const cpu_waits *c, uint32_t call, size_t row)
{
	const trace *t = c->t;
	int64_t start = t->calls.start[call], end = t->calls.end[call];
	int64_t late = ns_add(end, CPU_WAITS_SLACK_NS);
	uint32_t proc = t->threads[calls_thread(&t->calls, call)].proc;
	enum sync_call kind = cpu_waits_kind_of_call(c, call);
	depends_found found;

	if (kind == SYNC_CALL_COPY || kind == SYNC_CALL_COPY_ASYNC)
		return cpu_waits_copy_of_call(c, call);
	if (kind == SYNC_CALL_DEVICE)
		return process_work_ended(c->t, proc, (ival){ start, late }, call, INT64_MAX);
	if (kind != SYNC_CALL_STREAM && kind != SYNC_CALL_EVENT)
		return NONE;
	found = row == SIZE_MAX ? (depends_found){ NONE, true } : depends_sync(c->d, row);
	if (found.work != NONE && t->work.end[found.work] > start && t->work.end[found.work] <= late)
		return found.work;
	return found.unresolved ? process_work_ended(c->t, proc, (ival){ start, end }, NONE, INT64_MAX) : NONE;
}

static int cpu_waits_compare_waits(uint32_t a, uint32_t b, const void *ctx)
{
	const cpu_waits *c = ctx;
	const trace_calls *calls = &c->t->calls;
	uint32_t x = c->v[a].call, y = c->v[b].call, tx = calls_thread(calls, x), ty = calls_thread(calls, y);
	int64_t xe = calls->end[x], ye = calls->end[y];

	return tx != ty ? sort_3way(tx, ty) : xe != ye ? sort_3way(xe, ye) : sort_3way(x, y);
}

/* All waits, in order of their calls. */
static cpu_wait *cpu_waits_list_waits(const cpu_waits *c, size_t *n)
{
	const trace *t = c->t;
	vec(cpu_wait) found = { 0 };
	size_t row = 0;

	for (uint32_t call = 0; call < t->calls.n; call++) {
		uint32_t work;
		if (!sync_call_waits(cpu_waits_kind_of_call(c, call)))
			continue;
		search_near(row, row, 0, t->syncs.n, t->syncs.call[row] >= call);
		work = cpu_waits_work_waited_for(c, call,
						 row < t->syncs.n && t->syncs.call[row] == call ? row : SIZE_MAX);
		if (work != NONE)
			vec_push(&found, (cpu_wait){ call, work,
				ns_min(t->work.end[work], t->calls.end[call]) });
	}
	*n = found.n;
	return found.v;
}

/* Finds all waits and sorts them.  Counting puts them in order of thread first, and leaves the waits of each thread
 * nearly in order. */
static void cpu_waits_find_waits(cpu_waits *c)
{
	const trace_calls *calls = &c->t->calls;
	cpu_wait *found = cpu_waits_list_waits(c, &c->n);
	size_t *next = c->first = mem_new(size_t, c->t->nthreads + 2);
	uint32_t *order;

	for (size_t i = 0; i < c->n; i++)
		next[calls_thread(calls, found[i].call) + 2]++;
	for (size_t i = 0; i < c->t->nthreads; i++)
		next[i + 2] += next[i + 1];
	c->v = mem_grow(NULL, c->n, sizeof *c->v);
	for (size_t i = 0; i < c->n; i++)
		c->v[next[calls_thread(calls, found[i].call) + 1]++] = found[i];
	free(found);
	order = sort_order(c->n, cpu_waits_compare_waits, c);
	sort_apply(c->v, order, c->n);
	free(order);
}

static void *cpu_waits_build(trace *t, int64_t unused UNNEEDED)
{
	cpu_waits *c = mem_new(cpu_waits, 1);

	*c = (cpu_waits){ .t = t, .d = depends_of(t), .launched = launched_of(t),
		.kind = sync_calls(t), .main = mem_new(uint32_t, t->nprocs) };
	for (uint32_t p = 0; p < t->nprocs; p++)
		c->main[p] = around_main_thread(t, p);
	cpu_waits_find_waits(c);
	return c;
}

static void cpu_waits_release(void *made)
{
	cpu_waits *c = made;

	mem_free(c->v, c->first, c->main, c);
}

const cpu_waits *cpu_waits_of(trace *t)
{
	return trace_keep(t, cpu_waits_build, 0, cpu_waits_release);
}

const cpu_wait *cpu_waits_all(const cpu_waits *c, size_t *n)
{
	*n = c->n;
	return c->v;
}

static const cpu_wait *cpu_waits_last_of_thread(const cpu_waits *c, uint32_t thread, int64_t moment)
{
	size_t i;

	if (thread == NONE)
		return NULL;
	search_first(i, c->first[thread], c->first[thread + 1], c->t->calls.end[c->v[i].call] > moment);
	return i > c->first[thread] ? &c->v[i - 1] : NULL;
}

const cpu_wait *cpu_waits_before(const cpu_waits *c, uint32_t thread, int64_t moment)
{
	const trace_calls *calls = &c->t->calls;
	uint32_t main_thread = c->main[c->t->threads[thread].proc];
	const cpu_wait *own = cpu_waits_last_of_thread(c, thread, moment);
	const cpu_wait *main = main_thread == thread ? own : cpu_waits_last_of_thread(c, main_thread, moment);

	return !own || (main && calls->end[main->call] > calls->end[own->call]) ? main : own;
}
