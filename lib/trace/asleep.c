#include "trace/asleep.h"
#include "base/dict.h"
#include "base/memory.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/global_id.h"

enum { START, TID, ON, COLS };

typedef struct {
	int64_t at, thread;     /* thread is a global id, as in global_id.h */
	bool on;
} cpu_switch;

typedef struct {                /* what one worker reads */
	rows_part rows;
	vec(cpu_switch) v;
} part;

typedef struct {                /* the threads of a process, or all threads of processes without GPU work */
	size_t on;              /* the number of its threads that are on a CPU now */
	int64_t since;          /* when the last of its threads left its CPU; TRACE_UNKNOWN: not known */
	ival_set off;           /* times when none of its threads was on a CPU */
} group_of_threads;

typedef struct {
	bool known;             /* are there context switches that can be read? */
	size_t nprocs;
	ival_set *off;          /* by process: its times off the CPU and in no call */
} asleep;

static void asleep_free_part(void *p)
{
	vec_free(&((part *)p)->v);
}

static void asleep_take_switches(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	part *p = to;

	for (size_t i = 0; i < b->n; i++)
		vec_push(&p->v, (cpu_switch){ b->ints[START][i], b->ints[TID][i], b->ints[ON][i] > 0 });
}

static int asleep_order_by_time(uint32_t a, uint32_t b, const void *switches)
{
	const cpu_switch *v = switches;

	return v[a].at != v[b].at ? sort_3way(v[a].at, v[b].at) : sort_3way(a, b);
}

/* All switches, sorted by time.  The caller frees the array. */
static cpu_switch *asleep_sort_switches(const rows_parts *parts, size_t *n)
{
	vec(cpu_switch) all = { 0 };
	uint32_t *order;

	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->v.n; k++)
			vec_push(&all, p->v.v[k]);
	}
	order = sort_order(all.n, asleep_order_by_time, all.v);
	if (order)
		sort_apply(all.v, order, all.n);
	free(order);
	*n = all.n;
	return all.v;
}

/* The index of a thread's group: the index of its process or, if that process has no GPU work, t->nprocs, which stands
 * for all processes without GPU work. */
static size_t asleep_group_of_thread(const trace *t, int64_t thread)
{
	size_t i = 0, end;

	while (i < t->nprocs &&
	       (t->procs[i].id != global_process(thread) || trace_find_lanes(t, (uint32_t)i, &end) == end))
		i++;
	return i;
}

/* Find the times, up to the last switch of each group, when none of its threads is on a CPU.  The time from
 * of[].since, as the caller set it, to the group's first switch is included if no thread of the group was on a CPU
 * before that switch; TRACE_UNKNOWN: it is not included. */
static void asleep_find_off(const trace *t, const cpu_switch *v, size_t n, group_of_threads *of)
{
	dict threads = { 0 };
	vec(size_t) group = { 0 };
	vec(bool) on = { 0 };

	for (size_t i = 0; i < n; i++)          /* a thread whose first switch is off a CPU was on that CPU before */
		if (dict_key(&threads, v[i].thread) == group.n) {
			vec_push(&group, asleep_group_of_thread(t, v[i].thread));
			vec_push(&on, !v[i].on);
			of[group.v[group.n - 1]].on += !v[i].on;
		}
	for (size_t i = 0; i < n; i++) {
		uint32_t thread = dict_key(&threads, v[i].thread);
		group_of_threads *g = &of[group.v[thread]];
		if (on.v[thread] == v[i].on)
			continue;
		on.v[thread] = v[i].on;
		if (!v[i].on) {
			g->since = --g->on ? g->since : v[i].at;
		} else if (!g->on++ && g->since != TRACE_UNKNOWN) {
			ival_add(&g->off, g->since, v[i].at);
		}
	}
	dict_free(&threads);
	vec_free(&group);
	vec_free(&on);
}

/* An array with an element for each process: has it a thread that makes calls but has no switches?  Such a thread never
 * left its CPU, or its switches were not recorded. */
static bool *asleep_find_lacking_switches(const trace *t, const cpu_switch *v, size_t n)
{
	bool *seen = mem_new(bool, t->nthreads), *lacks = mem_new(bool, t->nprocs);
	dict ids = { 0 };

	for (size_t i = 0; i < n; i++)
		if (dict_key(&ids, v[i].thread) + 1 == ids.n) {
			uint32_t thread = trace_thread_of(t, v[i].thread);
			if (thread != NONE)
				seen[thread] = true;
		}
	for (size_t i = 0; i < t->nthreads; i++)
		lacks[t->threads[i].proc] |= t->threads[i].calls && !seen[i];
	dict_free(&ids);
	free(seen);
	return lacks;
}

/* Remove the times of calls from the times off the CPU of each process.  A thread that leaves its CPU in a call may be
 * waiting for the GPU. */
static void asleep_remove_calls(const trace *t, ival_set *off)
{
	const trace_calls *calls = &t->calls;
	ival_set *call_times = mem_new(ival_set, t->nprocs);
	size_t *next_off = mem_new(size_t, t->nprocs);

	for (size_t i = 0; i < calls->n; i++) {
		uint32_t proc = t->threads[calls_thread(calls, i)].proc;
		size_t *next = &next_off[proc];
		while (*next < off[proc].n && off[proc].v[*next].b <= calls->start[i])
			++*next;
		if (*next < off[proc].n && off[proc].v[*next].a < calls->end[i])
			ival_add(&call_times[proc], calls->start[i], calls->end[i]);
	}
	for (size_t i = 0; i < t->nprocs; i++) {
		ival_set rest = ival_without(&off[i], &call_times[i]);
		ival_free(&off[i]);
		ival_free(&call_times[i]);
		off[i] = rest;
		ival_index(&off[i]);
	}
	mem_free(call_times, next_off);
}

static void asleep_find(trace *t, asleep *a, const cpu_switch *v, size_t n)
{
	group_of_threads *of = mem_new(group_of_threads, t->nprocs + 1), *others = &of[t->nprocs];
	bool *lacks = asleep_find_lacking_switches(t, v, n);

	for (size_t i = 0; i < t->nprocs; i++)
		of[i].since = TRACE_UNKNOWN;    /* others->since stays 0, the start of the trace */
	asleep_find_off(t, v, n, of);
	if (!others->on)
		ival_add(&others->off, others->since, INT64_MAX);
	for (size_t i = 0; i < t->nprocs; i++) {
		if (!lacks[i])
			a->off[i] = ival_and(&of[i].off, &others->off);
		ival_free(&of[i].off);
	}
	asleep_remove_calls(t, a->off);
	ival_free(&others->off);
	mem_free(of, lacks);
}

static void *asleep_build(trace *t, int64_t unused UNNEEDED)
{
	static const rows_reader reader = { .part_size = sizeof(part), .free_part = asleep_free_part,
		.take = asleep_take_switches };
	rows_col c[COLS] = { [START] = { .names = "start", .from_zero = true },
		[TID] = { .names = "globalTid", .null = -1 }, [ON] = { .names = "isSchedIn" } };
	const db_table *in = db_find_with(t->db, "SCHED_EVENTS", "start globalTid isSchedIn");
	asleep *a = mem_new(asleep, 1);
	rows_parts parts = { 0 };
	cpu_switch *v = NULL;
	size_t n = 0;

	a->nprocs = t->nprocs;
	a->off = mem_new(ival_set, t->nprocs);
	if (in && rows_read(t->db, in, c, COLS, &reader, NULL, t->workers, &parts))
		v = asleep_sort_switches(&parts, &n);
	a->known = n;
	if (n)
		asleep_find(t, a, v, n);
	rows_parts_free(&parts);
	free(v);
	return a;
}

static void asleep_release(void *made)
{
	asleep *a = made;

	for (size_t i = 0; i < a->nprocs; i++)
		ival_free(&a->off[i]);
	mem_free(a->off, a);
}

const ival_set *asleep_of(trace *t)
{
	const asleep *a = trace_keep(t, asleep_build, 0, asleep_release);

	return a->known ? a->off : NULL;
}
