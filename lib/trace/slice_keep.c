#include "trace/slice_keep.h"
#include "trace/global_id.h"

/* The process to which work without a globalPid belongs, as in old exports: the first process that makes calls or, if
 * none does, the first process of all (order_work.c). */
static int64_t slice_keep_find_adopter(const trace *t)
{
	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].calls)
			return t->procs[i].id;
	return t->nprocs ? t->procs[0].id : 0;
}

slice_keep *slice_keep_new(const trace *t)
{
	slice_keep *k = mem_new(slice_keep, 1);

	*k = (slice_keep){ .t = t, .gpu = mem_new(ival_set, t->nprocs), .cpu = mem_new(ival_set, t->nprocs),
		.pieces.width = 3, .calls.width = 2, .launchers.width = 2, .ranges.width = 2, .moments.width = 2,
		.switches.width = 2, .adopter = slice_keep_find_adopter(t) };
	return k;
}

void slice_keep_free(slice_keep *k)
{
	group *all[] = { &k->pieces, &k->calls, &k->launchers, &k->moments, &k->ranges, &k->switches };

	for (size_t i = 0; i < k->t->nprocs; i++) {
		ival_free(&k->gpu[i]);
		ival_free(&k->cpu[i]);
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		group_free(all[i]);
	ival_free(&k->samples);
	mem_free(k->times.v, k->gpu, k->cpu, k);
}

void slice_keep_time(slice_keep *k, uint32_t proc, ival gpu, ival cpu)
{
	vec_push(&k->times, (slice_time){ proc, gpu, cpu });
}

/* Set the element of `to` for each process: the union of its times for work (`gpu`) or for events of threads. */
static void slice_keep_join_times(const slice_keep *k, bool gpu, ival_set *to)
{
	typedef vec(ival) ivals;
	ivals *parts = mem_new(ivals, k->t->nprocs);

	for (size_t i = 0; i < k->times.n; i++) {
		ival x = gpu ? k->times.v[i].gpu : k->times.v[i].cpu;
		if (x.a < x.b)
			vec_push(&parts[k->times.v[i].proc], x);
	}
	for (size_t p = 0; p < k->t->nprocs; p++) {
		to[p] = parts[p].n ? ival_union(parts[p].v, parts[p].n) : (ival_set){ 0 };
		vec_free(&parts[p]);
	}
	free(parts);
}

void slice_keep_end(slice_keep *k)
{
	k->hull = IVAL_NOWHERE;
	slice_keep_join_times(k, true, k->gpu);
	slice_keep_join_times(k, false, k->cpu);
	for (size_t i = 0; i < k->times.n; i++)
		for (int gpu = 0; gpu < 2; gpu++) {
			ival x = gpu ? k->times.v[i].gpu : k->times.v[i].cpu;
			k->hull = x.a < x.b ? ival_hull(k->hull, x) : k->hull;
		}
}

static int64_t slice_keep_thread_id(const trace *t, uint32_t thread)
{
	return global_first(t->procs[t->threads[thread].proc].id) | t->threads[thread].tid;
}

void slice_keep_piece(slice_keep *k, uint32_t proc, int64_t correlation, int64_t start)
{
	group_of(&k->pieces, (int64_t[]){ k->t->procs[proc].id, correlation, start });
}

void slice_keep_call(const slice_keep *k, group *to, uint32_t proc, int64_t correlation)
{
	if (correlation)
		group_of(to, (int64_t[]){ k->t->procs[proc].id, correlation });
}

void slice_keep_at(const slice_keep *k, group *to, uint32_t thread, int64_t time)
{
	group_of(to, (int64_t[]){ slice_keep_thread_id(k->t, thread), time });
}

static bool slice_keep_has_key(const group *g, int64_t a, int64_t b)
{
	return group_find(g, (int64_t[]){ a, b }) != GROUP_NONE;
}

static bool slice_keep_touches_times(const slice_keep *k, const ival_set *by_process, int64_t process, int64_t start,
				     int64_t end)
{
	uint32_t proc;

	end = end < start ? start : end;
	if (end < k->hull.a || start > k->hull.b)       /* true of most events */
		return false;
	proc = trace_proc_of(k->t, global_first(process));
	return proc != NONE && by_process[proc].n && ival_touches(&by_process[proc], start, end);
}

bool slice_keeps_work(const slice_keep *k, int64_t process, int64_t correlation, int64_t start, int64_t end)
{
	int64_t owner = process == TRACE_UNKNOWN ? k->adopter : process;

	return slice_keep_touches_times(k, k->gpu, owner, start, end) ||
		slice_keep_has_key(&k->launchers, owner, correlation) ||
		group_find(&k->pieces, (int64_t[]){ owner, correlation, start }) != GROUP_NONE;
}

bool slice_keeps_event(const slice_keep *k, int64_t thread, int64_t start, int64_t end)
{
	return slice_keep_touches_times(k, k->cpu, global_process(thread), start, end);
}

bool slice_keeps_call(const slice_keep *k, int64_t thread, int64_t correlation, int64_t start, int64_t end)
{
	return slice_keeps_event(k, thread, start, end) ||
		slice_keep_has_key(&k->calls, global_process(thread), correlation) ||
		slice_keep_has_key(&k->moments, thread, start);
}

bool slice_keeps_range(const slice_keep *k, int64_t thread, int64_t start, int64_t end)
{
	return slice_keeps_event(k, thread, start, end) || slice_keep_has_key(&k->ranges, thread, start);
}

bool slice_keeps_switch(const slice_keep *k, int64_t thread, int64_t time)
{
	return slice_keeps_event(k, thread, time, time) || slice_keep_has_key(&k->switches, thread, time);
}
