#include "job/slice_choose.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "launch/call_marks.h"
#include "launch/cpu_waits.h"
#include "launch/depends.h"
#include "job/job_match.h"
#include "launch/outer_calls.h"
#include "launch/projection.h"
#include "timeline/lane_gaps.h"
#include "launch/ranges_around.h"
#include "step/steps.h"

#include <strings.h>

typedef vec(int64_t) times;

typedef struct {
	trace *t;
	const windows *all;     /* the given windows, and those of steps in them (slice_choose_add_step_windows) */
	slice_keep *keep;
	const lane_gaps *gaps_of[3];    /* by enum lane_gaps_kind */
	bool *work;             /* by work: is it kept? */
	bool *range;            /* by push/pop range: is it kept? */
	const job *job;
	uint32_t *kernel;       /* by work: the index of its kernel in job.kernels, or NONE; NULL: the trace could not
				 * be added to the job */
	overlap_index kernel_times;     /* the times of the work that has a kernel in the job, by work */
	bool *meets;            /* by process: does it take part in a matched operation? */
	times *begins, *ends;   /* by process: when the intervals of its windows begin and end */
} slice_choose_ctx;

static uint32_t slice_choose_proc_of(const trace *t, size_t work)
{
	return t->streams[t->work.stream[work]].proc;
}

static void slice_choose_keep_work(slice_choose_ctx *c, uint32_t work)
{
	const trace_work *w = &c->t->work;

	if (work == NONE || c->work[work])
		return;
	c->work[work] = true;
	slice_keep_piece(c->keep, slice_choose_proc_of(c->t, work), w->corr[work], w->start[work]);
}

/* ---- times */

static void slice_choose_keep_range(slice_choose_ctx *c, size_t range)
{
	if (!c->range[range])
		slice_keep_at(c->keep, &c->keep->ranges, ranges_thread(&c->t->pushpop, range),
			      c->t->pushpop.start[range]);
	c->range[range] = true;
}

/* Keeps the ranges of the launching thread that are open in the middle of the gap before the first work of a process.
 * The range that names this gap (idle_range) is one of them, because it covers more than half of the gap. */
static void slice_choose_keep_ranges_before(slice_choose_ctx *c, const lane_gap *gap)
{
	const around *a = around_of(c->t, AROUND_RANGES);
	/* The gap begins with the trace, which may begin later for a question that loads only CUDA and NVTX events. */
	const int64_t from[] = { c->t->span.a, c->t->cuda_nvtx_span.a };
	uint32_t call = gap->next == NONE ? NONE : c->t->work.launch[gap->next];

	for (int k = 0; k < 2 && call != NONE; k++)
		for (uint32_t r = around_at(a, calls_thread(&c->t->calls, call), from[k] + (gap->b - from[k]) / 2);
		     r != NONE; r = a->parent[r])
			slice_choose_keep_range(c, r);
}

/* Keeps all work of the lane (trace_lane) that starts at this moment.  If several pieces start then, the order of their
 * launches decides which of them ends a gap. */
static void slice_choose_keep_work_at(slice_choose_ctx *c, size_t lane, int64_t start)
{
	const trace_lane *l = &c->t->lanes[lane];
	size_t i;

	search_first(i, l->first, l->first + l->n, c->t->work.start[i] >= start);
	for (; i < l->first + l->n && c->t->work.start[i] == start; i++)
		slice_choose_keep_work(c, (uint32_t)i);
}

/* Keeps the work around the gaps that contain the start or the end of `part`, an interval of a window.  Returns the CPU
 * time to keep: `part` and these gaps, because the cause of a gap may lie anywhere in it. */
static ival slice_choose_widen_by_gaps(slice_choose_ctx *c, size_t lane, ival part)
{
	ival wide = part;

	for (int kind = 0; kind < 3; kind++) {
		const lane_gaps *q = c->gaps_of[kind];
		lane_gap gap;
		bool more = lane_gaps_from(q, lane, part.a, &gap);
		if (more && gap.a != INT64_MIN && gap.a <= part.a) {
			slice_choose_keep_work(c, lane_gaps_work_before(q, &gap));
			wide.a = gap.a < wide.a ? gap.a : wide.a;
		}
		if (more && gap.a == INT64_MIN)
			slice_choose_keep_ranges_before(c, &gap);
		more = lane_gaps_from(q, lane, part.b - 1, &gap);
		if (more && gap.b != INT64_MAX) {
			slice_choose_keep_work_at(c, lane, gap.b);
			wide.b = gap.a < part.b && gap.b > wide.b ? gap.b : wide.b;
		}
	}
	return wide;
}

static int slice_choose_compare_times(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return sort_3way(v[a], v[b]);
}

static void slice_choose_sort_times(times *x)
{
	uint32_t *order = sort_order(x->n, slice_choose_compare_times, x->v);

	sort_apply(x->v, order, x->n);
	free(order);
}

/* Is one of the times in (after,upto]? */
static bool slice_choose_has_time(const times *x, int64_t after, int64_t upto)
{
	size_t i;

	search_first(i, 0, x->n, x->v[i] > after);
	return i < x->n && x->v[i] <= upto;
}

/* For each stream of a lane, keeps one piece of work before each window and one after it.  Before: of the work that
 * starts before the window begins, the piece that ends last (of several, the one that starts last).  After: the first
 * piece that starts when the window ends, or later. */
static void slice_choose_keep_neighbours(slice_choose_ctx *c, const trace_lane *l)
{
	const trace_work *w = &c->t->work;
	const times *begins = &c->begins[l->proc], *ends = &c->ends[l->proc];
	size_t end, first = trace_find_streams(c->t, l->proc, &end);
	uint32_t *last = mem_none(uint32_t, end - first), *before = mem_none(uint32_t, end - first);

	for (uint32_t i = (uint32_t)l->first; i < l->first + l->n; i++) {
		size_t s = w->stream[i] - first;
		if (slice_choose_has_time(ends, before[s] == NONE ? INT64_MIN : w->start[before[s]], w->start[i]))
			slice_choose_keep_work(c, i);
		before[s] = i;
		if (last[s] != NONE && w->end[i] < w->end[last[s]])
			continue;
		if (last[s] != NONE && slice_choose_has_time(begins, w->start[last[s]], w->start[i]))
			slice_choose_keep_work(c, last[s]);
		last[s] = i;
	}
	for (size_t s = 0; s < end - first; s++)
		if (last[s] != NONE && slice_choose_has_time(begins, w->start[last[s]], INT64_MAX))
			slice_choose_keep_work(c, last[s]);
	mem_free(last, before);
}

static void slice_choose_keep_all_neighbours(slice_choose_ctx *c)
{
	for (size_t p = 0; p < c->t->nprocs; p++) {
		slice_choose_sort_times(&c->begins[p]);
		slice_choose_sort_times(&c->ends[p]);
	}
	for (size_t l = 0; l < c->t->nlanes; l++)
		slice_choose_keep_neighbours(c, &c->t->lanes[l]);
}

static ival slice_choose_widen_by_samples(const trace *t, ival part)
{
	ival wide = part;

	for (size_t i = 0; i < t->nmetrics; i++) {
		const trace_metric *m = &t->metrics[i];
		size_t at;
		search_first(at, 0, m->n, m->time[at] >= part.a);
		if (at && m->time[at - 1] < wide.a)
			wide.a = m->time[at - 1];
		search_first(at, 0, m->n, m->time[at] >= part.b);
		if (at < m->n && m->time[at] >= wide.b)
			wide.b = m->time[at] + 1;
	}
	return wide;
}

/* An interval of a window, extended until the last ranks arrive at the communication kernels that run at its end.  How
 * long these kernels wait depends on what those ranks do until then. */
static ival slice_choose_widen_by_arrivals(const slice_choose_ctx *c, ival part)
{
	ival wide = part;
	overlap_hits in = { 0 };

	overlap_index_find(&c->kernel_times, (ival){ part.b, part.b }, &in);
	for (size_t i = 0; i < in.n; i++) {
		const job_kernel *k = &c->job->kernels.v[c->kernel[in.v[i]]];
		if (k->last != NONE && k->arrival >= wide.b)
			wide.b = k->arrival + 1;
	}
	vec_free(&in);
	return wide;
}

static overlap_index slice_choose_index_kernels(const slice_choose_ctx *c)
{
	const trace_work *w = &c->t->work;
	vec(ival) v = { 0 };
	vec(uint32_t) of = { 0 };
	overlap_index k;

	for (uint32_t i = 0; c->kernel && i < w->n; i++)
		if (c->kernel[i] != NONE) {
			vec_push(&v, (ival){ w->start[i], w->end[i] });
			vec_push(&of, i);
		}
	k = overlap_index_build(v.v, v.n);
	for (size_t i = 0; i < k.n; i++)
		k.which[i] = of.v[k.which[i]];
	mem_free(v.v, of.v);
	return k;
}

static void slice_choose_keep_window(slice_choose_ctx *c, const window *w, uint32_t proc)
{
	const ival nothing = { 0, 0 };

	for (size_t i = 0; i < w->gpu.n; i++) {
		ival part = slice_choose_widen_by_samples(c->t, w->gpu.v[i]), cpu;
		part = c->meets[proc] ? slice_choose_widen_by_arrivals(c, part) : part;
		cpu = part;
		for (size_t end, l = trace_find_lanes(c->t, proc, &end); l < end; l++)
			cpu = ival_hull(cpu, slice_choose_widen_by_gaps(c, l, part));
		vec_push(&c->begins[proc], part.a);
		vec_push(&c->ends[proc], part.b);
		slice_keep_time(c->keep, proc, part, cpu);
	}
	for (size_t i = 0; i < w->cpu.n; i++)
		slice_keep_time(c->keep, proc, nothing, w->cpu.v[i]);
}

/* Keeps the windows.  A process may wait for what another one does, so a window of one process that communicates is
 * kept for all processes that communicate. */
static void slice_choose_keep_windows(slice_choose_ctx *c)
{
	vec(ival) samples = { 0 };

	for (size_t i = 0; i < c->all->n; i++) {
		const window *w = &c->all->v[i];
		for (uint32_t p = 0; p < c->t->nprocs; p++)
			if (w->proc == NONE || w->proc == p || (c->meets[w->proc] && c->meets[p]))
				slice_choose_keep_window(c, w, p);
		for (size_t k = 0; k < w->gpu.n; k++)
			vec_push(&samples, slice_choose_widen_by_samples(c->t, w->gpu.v[k]));
	}
	c->keep->samples = ival_union(samples.v, samples.n);
	vec_free(&samples);
	slice_choose_keep_all_neighbours(c);
	slice_keep_end(c->keep);
}

/* ---- work and calls */

static bool slice_choose_touches_time(const ival_set *by_process, uint32_t proc, int64_t start, int64_t end)
{
	return by_process[proc].n && ival_touches(&by_process[proc], start, end);
}

/* Is the call in the CPU time that is kept? */
static bool slice_choose_touches_call(const slice_choose_ctx *c, uint32_t call)
{
	const trace_calls *calls = &c->t->calls;

	return slice_choose_touches_time(c->keep->cpu, c->t->threads[calls_thread(calls, call)].proc,
					 calls->start[call], calls->end[call]);
}

/* Keeps the work that runs in a window, and all work that calls in a window launched. */
static void slice_choose_keep_work_in_windows(slice_choose_ctx *c)
{
	const trace_work *w = &c->t->work;

	for (size_t i = 0; i < w->n; i++) {
		uint32_t proc = slice_choose_proc_of(c->t, i);
		if (w->launch[i] != NONE && slice_choose_touches_call(c, w->launch[i])) {
			slice_keep_call(c->keep, &c->keep->launchers, proc, w->corr[i]);
			c->work[i] = true;
		}
		c->work[i] |= slice_choose_touches_time(c->keep->gpu, proc, w->start[i], w->end[i]);
	}
}

/* An array with an element for each process: the times in which its kept work was queued, from the start of the
 * launching call to that of the work. */
static ival_set *slice_choose_find_queued(const slice_choose_ctx *c)
{
	const trace *t = c->t;
	typedef vec(ival) ivals;
	ivals *parts = mem_new(ivals, t->nprocs);
	ival_set *out = mem_new(ival_set, t->nprocs);

	for (size_t i = 0; i < t->work.n; i++)
		if (c->work[i] && t->work.launch[i] != NONE && t->calls.start[t->work.launch[i]] < t->work.start[i])
			vec_push(&parts[slice_choose_proc_of(t, i)],
				 (ival){ t->calls.start[t->work.launch[i]], t->work.start[i] });
	for (size_t p = 0; p < t->nprocs; p++) {
		out[p] = ival_union(parts[p].v, parts[p].n);
		vec_free(&parts[p]);
	}
	free(parts);
	return out;
}

static void slice_choose_keep_call_at(slice_choose_ctx *c, uint32_t call)
{
	slice_keep_at(c->keep, &c->keep->moments, calls_thread(&c->t->calls, call), c->t->calls.start[call]);
}

/* Keeps the calls that recorded an event, waited, or told a stream to wait, if they began while kept work was queued.
 * Also keeps the calls that recorded the events that these waited for. */
static void slice_choose_keep_waits(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const trace_syncs *y = &t->syncs;
	ival_set *when = slice_choose_find_queued(c);
	sums records = sums_by(2, sizeof(uint32_t));    /* by process and event: 1 + the latest call that recorded it */

	for (uint32_t i = 0; i < y->n && (y->id || y->event); i++) {
		uint32_t call = y->call[i], proc = t->threads[calls_thread(&t->calls, call)].proc;
		uint32_t *last = sums_of(&records, (int64_t[]){ proc, y->id ? y->id[i] : y->event[i] });
		if (y->record[i])
			*last = call + 1;
		if (!slice_choose_touches_time(when, proc, t->calls.start[call], t->calls.start[call]))
			continue;
		slice_choose_keep_call_at(c, call);
		if (*last)
			slice_choose_keep_call_at(c, *last - 1);
	}
	for (size_t p = 0; p < t->nprocs; p++)
		ival_free(&when[p]);
	free(when);
	sums_free(&records);
}

/* Keeps the work for which kept work waited, and the work for which calls in a window waited. */
static void slice_choose_keep_producers(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const depends *d = depends_of(c->t);
	const cpu_wait *waits;
	size_t n;

	for (uint32_t i = 0; i < t->work.n; i++) {
		if (!c->work[i])
			continue;
		slice_choose_keep_work(c, depends_previous(d, i));
		slice_choose_keep_work(c, depends_replayed(d, i));
		for (const depends_wait *w = depends_waits(d, i); w; w = depends_next(w))
			slice_choose_keep_work(c, w->on.work);
	}
	waits = cpu_waits_all(cpu_waits_of(c->t), &n);
	for (size_t i = 0; i < n; i++)
		if (slice_choose_touches_call(c, waits[i].call))
			slice_choose_keep_work(c, waits[i].work);
}

/* For kept kernels that a long call launched, keeps the first launch of a kernel with the same name: if the trace had
 * no earlier launch of that name, the long call would count as the first one. */
static void slice_choose_keep_first_launches(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const trace_work *w = &t->work;
	sums firsts = sums_by(2, sizeof(uint32_t));     /* by process and name: 1 + the kernel that was launched
							 * first */

	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < w->n; i++) {
			uint32_t call = w->kind[i] == WORK_KERNEL ? w->launch[i] : NONE;
			if (call == NONE ||
			    (again && (!c->work[i] || t->calls.end[call] - t->calls.start[call] <= CALL_LONG_NS)))
				continue;
			for (int full = 0; full < 2; full++) {
				uint32_t *first = sums_of(&firsts, (int64_t[]){ slice_choose_proc_of(t, i),
							  full ? work_full(w, i) : work_name(w, i) });
				if (again)
					slice_choose_keep_work(c, *first - 1);
				else if (!*first || call < w->launch[*first - 1])
					*first = i + 1;
			}
		}
	sums_free(&firsts);
}

/* For each thread and stretch of kept CPU time, keeps the outermost call before it and the one after it, and the work
 * that these launched. */
static void slice_choose_keep_calls_around(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const outer_calls *outer = outer_calls_of(c->t);
	bool *kept = mem_new(bool, t->calls.n);

	for (uint32_t th = 0; th < t->nthreads; th++) {
		const ival_set *cpu = &c->keep->cpu[t->threads[th].proc];
		for (size_t i = 0; i < cpu->n && outer->first[th] < outer->first[th + 1]; i++) {
			size_t k = outer_calls_after(t, outer, th, cpu->v[i].a, SIZE_MAX);
			if (k > outer->first[th])
				kept[outer_call(outer, k - 1)] = true;
			k = outer_calls_after(t, outer, th, cpu->v[i].b, SIZE_MAX);
			if (k < outer->first[th + 1])
				kept[outer_call(outer, k)] = true;
		}
	}
	for (uint32_t i = 0; i < t->calls.n; i++)
		if (kept[i])
			slice_choose_keep_call_at(c, i);
	for (uint32_t i = 0; i < t->work.n; i++)
		if (t->work.launch[i] != NONE && kept[t->work.launch[i]])
			slice_choose_keep_work(c, i);
	free(kept);
}

/* ---- ranges */

static void slice_choose_keep_open_ranges(slice_choose_ctx *c)
{
	const trace_ranges *r = &c->t->pushpop;

	for (size_t i = 0; i < r->n; i++)
		c->range[i] |= slice_choose_touches_time(c->keep->cpu, c->t->threads[ranges_thread(r, i)].proc,
							 r->start[i], r->end[i]);
}

/* Keeps the ranges whose time on the GPU touches a window, and the first and last work in that time, so that it is the
 * same in the slice. */
static void slice_choose_keep_projections(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const trace_ranges *r = &t->pushpop;
	const projection *p = projection_on(c->t, -1);

	for (size_t i = 0; i < r->n; i++) {
		uint32_t proc = t->threads[ranges_thread(r, i)].proc;
		projection_sum on = projection_of(p, proc, r->start[i], r->end[i]);
		size_t n, k;
		const uint32_t *of = projection_launched(p, proc, &n);
		if (!on.work || !slice_choose_touches_time(c->keep->gpu, proc, on.first, on.last))
			continue;
		slice_choose_keep_range(c, i);
		search_first(k, 0, n, t->calls.start[t->work.launch[of[k]]] >= r->start[i]);
		for (; k < n && t->calls.start[t->work.launch[of[k]]] < r->end[i]; k++)
			if (t->work.start[of[k]] == on.first || t->work.end[of[k]] == on.last)
				slice_choose_keep_work(c, of[k]);
	}
}

/* Moves to the next range around work.  If a range was met before and ranges do not cross, the ranges around it were
 * met, too, so they are skipped. */
static void slice_choose_next_range(const around *a, around_walk *w, bool *met)
{
	bool again = met[w->range] && !a->cross && !w->captured;

	met[w->range] = true;
	if (again)
		around_next_thread(w);
	else
		around_next(a, w);
}

/* Keeps one kernel of each kept range that launches kernels, so that the range launches one in the slice too. */
static void slice_choose_keep_launches_of_ranges(slice_choose_ctx *c, const around *a)
{
	const trace *t = c->t;
	bool *launches = mem_new(bool, t->pushpop.n);

	for (int kept = 1; kept >= 0; kept--)
		for (uint32_t i = 0; i < t->work.n; i++) {
			bool need = kept;
			if (c->work[i] != kept || t->work.kind[i] > WORK_GRAPH || t->work.launch[i] == NONE)
				continue;
			for (around_walk w = around_work(a, i); w.range != NONE;
			     slice_choose_next_range(a, &w, launches))
				need |= c->range[w.range] && !launches[w.range];
			if (need && !kept)
				slice_choose_keep_work(c, i);
		}
	free(launches);
}

/* Keeps the launching call of kept work, and the ranges around it. */
static void slice_choose_keep_launches(slice_choose_ctx *c, const around *a)
{
	const trace_work *w = &c->t->work;
	bool *met = mem_new(bool, c->t->pushpop.n);

	for (size_t i = 0; i < w->n; i++) {
		if (!c->work[i])
			continue;
		slice_keep_call(c->keep, &c->keep->calls, slice_choose_proc_of(c->t, i), w->corr[i]);
		for (around_walk at = around_work(a, i); at.range != NONE; slice_choose_next_range(a, &at, met))
			slice_choose_keep_range(c, at.range);
	}
	free(met);
}

static bool slice_choose_is_called(const trace *t, size_t range, const char *name)
{
	const char *s = str_at(&t->names, t->pushpop.name[range]);

	return s && strcasecmp(strncasecmp(s, "nccl", 4) == 0 ? s + 4 : s, name) == 0;
}

/* Keeps groups of NCCL operations whole, and the ranges that tell the size of a communicator. */
static void slice_choose_keep_groups(slice_choose_ctx *c)
{
	const trace *t = c->t;
	const trace_ranges *r = &t->pushpop;

	for (size_t i = 0, end; i < r->n; i = end) {
		uint32_t thread = ranges_thread(r, i);
		bool kept = false;
		int depth = 0;
		for (end = i; end < r->n && ranges_thread(r, end) == thread; end++) {
			if (!t->domains[ranges_domain(r, end)].nccl)
				continue;
			depth += slice_choose_is_called(t, end, "GroupStart");
			depth -= depth > 0 && slice_choose_is_called(t, end, "GroupEnd");
			kept |= c->range[end];
			if (depth == 0)
				break;
		}
		end += end < r->n && ranges_thread(r, end) == thread;
		for (size_t k = i; kept && k < end; k++)
			if (t->domains[ranges_domain(r, k)].nccl)
				slice_choose_keep_range(c, k);
	}
	for (size_t i = 0; i < t->payloads.n; i++)
		if (t->payloads.v[i].size != TRACE_UNKNOWN)
			slice_keep_at(c->keep, &c->keep->ranges, t->payloads.v[i].thread, t->payloads.v[i].start);
}

/* ---- threads on CPUs */

/* The latest end of the runs that begin when this run begins.  Runs are stretches in which the thread is on a CPU. */
static int64_t slice_choose_find_end_of_run(const trace_stretches *s, uint32_t thread, size_t run)
{
	while (run + 3 < s->end[thread] && s->at[run + 2] == s->at[run])
		run += 2;
	return s->at[run + 1];
}

/* Keeps the runs before and after a wait as a whole.  The wait lasts from the moment with the index `wait` to the next
 * one.  There is always a run before it and one after it: load_cpu.c adds the beginning of the first run and the end of
 * the last one, if no switch tells them. */
static void slice_choose_keep_runs_around(slice_choose_ctx *c, uint32_t thread, size_t wait)
{
	const trace_stretches *s = &c->t->stretches;
	size_t first = s->first[thread], i;

	search_first(i, first, s->end[thread], s->at[i] >= s->at[wait + 1]);
	if (i > first)
		slice_keep_at(c->keep, &c->keep->switches, thread, s->at[i - 1 - (i - 1 - first) % 2]);
	slice_keep_at(c->keep, &c->keep->switches, thread, slice_choose_find_end_of_run(s, thread, wait + 1));
}

static void slice_choose_keep_stretches(slice_choose_ctx *c, uint32_t thread)
{
	const trace_stretches *s = &c->t->stretches;
	size_t first = s->first[thread], end = s->end[thread];
	bool any = false;

	for (size_t i = first; i + 1 < end; i++)
		if (slice_choose_touches_time(c->keep->cpu, c->t->threads[thread].proc, s->at[i], s->at[i + 1])) {
			slice_keep_at(c->keep, &c->keep->switches, thread, s->at[i]);
			slice_keep_at(c->keep, &c->keep->switches, thread, s->at[i + 1]);
			if ((i - first) % 2)
				slice_choose_keep_runs_around(c, thread, i);
			any = true;
		}
	if (!any && first < end) {      /* keep one run, which shows that the thread has switches */
		slice_keep_at(c->keep, &c->keep->switches, thread, s->at[first]);
		slice_keep_at(c->keep, &c->keep->switches, thread, slice_choose_find_end_of_run(s, thread, first));
	}
}

static void slice_choose_keep_switches(slice_choose_ctx *c)
{
	for (uint32_t th = 0; th < c->t->nthreads && c->t->stretches.first; th++)
		slice_choose_keep_stretches(c, th);
}

/* ---- communication */

/* Keeps all kernels of each operation that has kept work, and of the operations that it is matched with, to show who
 * waits for whom.  Also keeps all communication kernels that start between the first window and the last.  Operations
 * are matched with those of other traces by their order, so none may be missing. */
static void slice_choose_keep_operations(slice_choose_ctx *c)
{
	const job *j = c->job;
	const uint32_t *kernel = c->kernel;
	bool *op = mem_new(bool, j->ops.n);

	for (size_t i = 0; i < c->t->work.n; i++) {
		uint32_t of = !c->work[i] || kernel[i] == NONE ? NONE : j->kernels.v[kernel[i]].op;
		const job_party *p = of == NONE || j->ops.v[of].party == NONE ? NULL :
			&j->parties.v[j->ops.v[of].party];
		if (of != NONE)
			op[of] = true;
		for (size_t k = 0; p && k < p->n; k++)
			op[j->partners.v[p->first + k]] = true;
	}
	for (uint32_t i = 0; i < c->t->work.n; i++)
		if (kernel[i] != NONE && (op[j->kernels.v[kernel[i]].op] ||
		    (c->t->work.start[i] >= c->keep->hull.a && c->t->work.start[i] < c->keep->hull.b)))
			slice_choose_keep_work(c, i);
	free(op);
}

/* ---- steps */

static bool slice_choose_has_step(const window *w, uint32_t proc, const step *s)
{
	return (w->proc == NONE || w->proc == proc) && ival_holds(&w->gpu, s->gpu.a, s->gpu.b) &&
		ival_holds(&w->cpu, s->cpu.a, s->cpu.b);
}

/* Does one of the windows hold the step? */
static bool slice_choose_any_has_step(const windows *all, const overlap_hits *in, uint32_t proc, const step *s)
{
	for (size_t k = 0; k < in->n; k++)
		if (slice_choose_has_step(&all->v[in->v[k]], proc, s))
			return true;
	return false;
}

/* Adds a window that holds a step and the steps before and after it, each up to the next step, because a step is
 * recognized by its neighbours. */
static void slice_choose_add_steps(windows *to, const steps *of, size_t i, uint32_t proc)
{
	ival gpu = IVAL_NOWHERE, cpu = IVAL_NOWHERE;

	for (size_t k = i ? i - 1 : 0; k <= i + 1 && k < of->n; k++) {
		step s = steps_to_next(of, k);
		gpu = ival_hull(gpu, s.gpu);
		cpu = ival_hull(cpu, s.cpu);
	}
	vec_push(to, (window){ .gpu = ival_union(&gpu, 1), .cpu = ival_union(&cpu, 1), .proc = proc, .device = -1 });
}

static windows slice_choose_add_step_windows(trace *t, const windows *all)
{
	step_set found = steps_find(t, projection_on(t, -1), &(steps_choice){ 0 }, false);
	windows out = { 0 };
	ival *hulls = mem_new(ival, all->n);
	overlap_hits in = { 0 };
	overlap_index k;

	for (size_t i = 0; i < all->n; i++) {
		vec_push(&out, all->v[i]);
		hulls[i] = window_hull(&all->v[i].gpu);
	}
	k = overlap_index_build(hulls, all->n);
	for (uint32_t p = 0; p < found.n; p++)
		for (size_t i = 0; found.of[p].rule != STEPS_PROCESS && i < found.of[p].n; i++) {
			int64_t start = found.of[p].v[i].gpu.a;
			overlap_index_find(&k, (ival){ start, ns_add(start, 1) }, &in);
			if (slice_choose_any_has_step(all, &in, p, &found.of[p].v[i]))
				slice_choose_add_steps(&out, &found.of[p], i, p);
		}
	overlap_index_free(&k);
	mem_free(hulls, in.v);
	steps_free(&found);
	return out;
}

/* Frees the windows, but not the intervals of the first `given` ones, which the caller of slice_choose owns. */
static void slice_choose_free_steps(windows *w, size_t given)
{
	for (size_t i = given; i < w->n; i++) {
		ival_free(&w->v[i].gpu);
		ival_free(&w->v[i].cpu);
	}
	vec_free(w);
}

slice_keep *slice_choose(trace *t, const windows *given)
{
	windows all = slice_choose_add_step_windows(t, given);
	slice_choose_ctx c = { .t = t, .all = &all, .keep = slice_keep_new(t), .work = mem_new(bool, t->work.n),
		.range = mem_new(bool, t->pushpop.n) };
	const around *a = around_of(t, AROUND_ADOPT | (t->work.capture ? AROUND_CAPTURED : 0));
	job *j = job_new();
	bool communicates = job_add(j, t, NULL) != SIZE_MAX;
	uint32_t *kernel = communicates ? job_list_kernels(j, 0, t) : NULL;

	c.job = j;
	c.kernel = kernel;
	c.kernel_times = slice_choose_index_kernels(&c);
	c.meets = mem_new(bool, t->nprocs);
	c.begins = mem_new(times, t->nprocs);
	c.ends = mem_new(times, t->nprocs);
	if (communicates)
		job_match(j, JOB_CLOCK_BEST, NULL);
	for (size_t i = 0; i < j->ops.n; i++)
		c.meets[j->ops.v[i].proc] |= j->ops.v[i].party != NONE;

	for (int kind = 0; kind < 3; kind++)
		c.gaps_of[kind] = lane_gaps_of(t, (enum lane_gaps_kind)kind);
	slice_choose_keep_windows(&c);
	slice_choose_keep_work_in_windows(&c);
	slice_choose_keep_waits(&c);
	slice_choose_keep_producers(&c);
	if (communicates)
		slice_choose_keep_operations(&c);
	slice_choose_keep_calls_around(&c);
	slice_choose_keep_open_ranges(&c);
	slice_choose_keep_projections(&c);
	slice_choose_keep_launches(&c, a);
	slice_choose_keep_launches_of_ranges(&c, a);
	slice_choose_keep_first_launches(&c);
	slice_choose_keep_launches(&c, a);
	slice_choose_keep_groups(&c);
	slice_choose_keep_switches(&c);
	slice_choose_free_steps(&all, given->n);
	job_free(j);
	for (size_t i = 0; i < t->nprocs; i++)
		mem_free(c.begins[i].v, c.ends[i].v);
	overlap_index_free(&c.kernel_times);
	mem_free(kernel, c.work, c.range, c.meets, c.begins, c.ends);
	return c.keep;
}
