#include "answer/answers.h"
#include "base/dict.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "launch/call_sources.h"
#include "launch/long_launches.h"
#include "launch/projection.h"
#include "trace/thread_events.h"

#define COLUMNS(X) \
	X(TID, "tid", 'i', NULL, "calling thread") \
	X(COUNT, "count", 'i', NULL, "calls in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "total time in these calls") \
	X(PCT, "pct", 'd', "%", "share of the total of all rows of the window") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the call in the window") \
	X(MEAN_NS, "mean_ns", 'i', "ns", "mean time of a call") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of a call") \
	X(P90_NS, "p90_ns", 'i', "ns", "90th percentile of the same") \
	X(MIN_NS, "min_ns", 'i', "ns", "shortest call; a call that crosses the window's edge counts by its part " \
	  "inside") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest call; a call that crosses the window's edge counts by its part " \
	  "inside") \
	X(LAUNCHES, "launches", 'i', NULL, "calls of class launch in the window") \
	X(LAUNCHES_PER_S, "launches_per_s", 'd', "1/s", "launches per second of the window's CPU side") \
	X(API_P50_NS, "api_p50_ns", 'i', "ns", "median time of a launch call") \
	X(API_P90_NS, "api_p90_ns", 'i', "ns", "90th percentile of the same") \
	X(API_P99_NS, "api_p99_ns", 'i', "ns", "99th percentile of the same") \
	X(QUEUE_P50_NS, "queue_p50_ns", 'i', "ns", "median wait from the end of a launch call to the start of its " \
	  "first kernel or graph") \
	X(QUEUE_P90_NS, "queue_p90_ns", 'i', "ns", "90th percentile of the same") \
	X(QUEUE_P99_NS, "queue_p99_ns", 'i', "ns", "99th percentile of the same") \
	X(LATENCY_P50_NS, "latency_p50_ns", 'i', "ns", "median time from the start of a launch call to the start " \
	  "of its first kernel or graph") \
	X(LATENCY_P99_NS, "latency_p99_ns", 'i', "ns", "99th percentile of the same") \
	X(KERNEL_P50_NS, "kernel_p50_ns", 'i', "ns", "median time of the kernels that these calls launched") \
	X(KERNEL_P90_NS, "kernel_p90_ns", 'i', "ns", "90th percentile of the same") \
	X(KERNEL_P99_NS, "kernel_p99_ns", 'i', "ns", "99th percentile of the same") \
	X(SMALL_PCT, "small_pct", 'd', "%", "share of these kernels that take less than 10 us") \
	X(CLASS, "class", 't', NULL, "{api.class} (nsq help words api.class)") \
	X(THREAD, "thread", 't', NULL, "name of the thread") \
	X(SOURCE, "source", 't', NULL, "function of the program that made the call, by the call chain") \
	X(WHY, "why", 't', NULL, "why a launch takes more than 100 us: queue (it is full), load (of code), first " \
	  "(launch of its kernel), lock (other threads are in calls); - if none of these") \
	X(KERNEL, "kernel", 't', NULL, "first kernel or graph that the call launched") \
	X(NAME, "name", 't', NULL, "function, without its version suffix")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void api_list_columns(const void *params, table *out)
{
	const api_params *p = params;
	bool by_thread = p->keys & API_BY_THREAD;

	if (p->mode == API_EACH) {
		table_columns(out, all_columns, TID, DUR_NS, CLASS, WHY, NAME);
	} else if (p->mode == API_LAUNCH_COUNTS) {
		table_columns(out, all_columns, LAUNCHES);
	} else if (p->mode == API_KERNELS) {
		table_columns(out, all_columns, LAUNCHES, TOTAL_NS, API_P50_NS, API_P90_NS, QUEUE_P50_NS, QUEUE_P90_NS,
			      LATENCY_P50_NS, KERNEL_P50_NS, KERNEL);
		table_sort(out, TOTAL_NS, true);
	} else if (p->mode == API_LAUNCH) {
		table_columns(out, all_columns, LAUNCHES, LAUNCHES_PER_S, API_P50_NS, API_P90_NS,
			      API_P99_NS, QUEUE_P50_NS, QUEUE_P90_NS, QUEUE_P99_NS, LATENCY_P50_NS, LATENCY_P99_NS,
			      KERNEL_P50_NS, KERNEL_P90_NS, KERNEL_P99_NS, SMALL_PCT);
	} else {
		table_columns(out, all_columns, by_thread ? TID : 0, COUNT, TOTAL_NS, PCT, MEAN_NS, P50_NS, P90_NS,
			      MIN_NS, MAX_NS, p->keys & (API_BY_NAME | API_BY_CLASS) ? CLASS : 0,
			      by_thread ? THREAD : 0, p->keys & API_BY_SOURCE ? SOURCE : 0,
			      p->keys & API_BY_NAME ? NAME : 0);
		table_sort(out, TOTAL_NS, true);
	}
}

static bool api_needs_why(const api_params *p)
{
	return p->mode == API_EACH && !p->no_why;
}

static question api_make_question(const void *params)
{
	const api_params *p = params;

	bool by_source = p->mode == API_SUMS && p->keys & API_BY_SOURCE;

	return (question){
		.need = TRACE_CALLS | (by_source ? TRACE_CALL_CHAINS : 0) |
			(p->mode == API_SUMS && p->keys & API_BY_THREAD ? TRACE_RANGES : 0) |
			(p->mode & (API_LAUNCH | API_KERNELS) || api_needs_why(p) ? TRACE_WORK | TRACE_LAUNCH : 0u) |
			(api_needs_why(p) ? TRACE_FULL : 0u) |
			(p->mode & (API_SUMS | API_EACH) ? TRACE_MPI_SPAN : 0u),
		.must = MUST_CUDA | (by_source ? MUST_CHAINS : 0),
		.scope = WINDOW_TRACE,
		.warn_lost = true,
		.warn_clocks = p->mode & (API_LAUNCH | API_KERNELS),
		.empty = p->mode & (API_SUMS | API_EACH) ? "no CUDA or MPI call was made" : "no kernel was launched",
	};
}

typedef vec(uint32_t) call_list;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const api_params *p;
	const call_sources *sources;    /* NULL: the column `source` is not asked for */
	call_sources_times sourced;     /* the time with and without a source, for a note */
	const uint8_t *why;     /* by call: an enum long_launch; NULL: the column `why` is not asked for */
	const uint32_t *base;   /* an array with an element for each string of the trace: if the string names a call,
				 * that name without its suffix */
	call_list *launches;    /* by process: its launching calls in order of time; NULL: no launches are asked for */
	overlap_hits mpi;            /* the MPI calls in the window, indices of trace.mpi */
} api_ctx;

typedef struct {
	int64_t start, end;
	uint32_t thread, name;
	unsigned class;
} call;

static __attribute__((noinline)) call api_read_mpi_call(const trace *t, size_t i)
{
	const trace_thread_events *m = &t->mpi;

	return (call){ m->start[i], thread_events_end(m, i), thread_events_find_thread(m, t->nthreads, i), m->name[i],
		       CALL_MPI };
}

/* Find the MPI calls of the window, thread by thread. */
static void api_list_mpi_calls(api_ctx *x)
{
	trace *t = x->a->t;
	const window *w = x->a->w;
	uint32_t end, thread = trace_find_threads(t, w->proc, &end);

	x->mpi.n = 0;
	for (; t->mpi.n && thread < end; thread++)
		for (window_thread_events k = window_thread_events_of(w, &t->mpi, thread);
		     window_next_thread_event(w, &t->mpi, &k);)
			vec_push(&x->mpi, (uint32_t)k.event);
}

/* The call with this number.  First come the CUDA calls of the trace, then the MPI calls of the window. */
static inline __attribute__((always_inline)) call api_read_call(const api_ctx *x, size_t i)
{
	const trace_calls *c = &x->a->t->calls;
	uint32_t name;

	if (i >= c->n)
		return api_read_mpi_call(x->a->t, x->mpi.v[i - c->n]);
	name = calls_name(c, i);
	return (call){ c->start[i], c->end[i], calls_thread(c, i), name == STR_NONE ? STR_NONE : x->base[name],
		calls_class(c, i) };
}

/* Is the call in the window, and of the class asked for? */
static bool api_is_wanted(const api_ctx *x, const call *c)
{
	const window *w = x->a->w;

	if (w->proc != NONE && x->a->t->threads[c->thread].proc != w->proc)
		return false;
	if (x->p->class < API_ALL_CLASSES && c->class != x->p->class)
		return false;
	return window_has(w, &w->cpu, c->start, c->end);
}

/* Add a row for a call.  at: its number, as in api_read_call. */
static void api_add_call_row(api_ctx *x, size_t at, const call *c)
{
	const trace_thread *th = &x->a->t->threads[c->thread];
	const ival_set *side = &x->a->w->cpu;
	ival part = window_clip(side, c->start, c->end);
	table *out = x->a->out;

	answer_add_row_at(x->a, th->proc, part.a, part.b);
	table_int(out, TID, th->tid);
	table_int(out, DUR_NS, ival_within(side, c->start, c->end));
	table_word(out, CLASS, call_class_name((enum call_class)c->class));
	table_word(out, WHY, x->why && at < x->a->t->calls.n ? long_launch_name(x->why[at]) : NULL);
	table_set_name(out, NAME, c->name);
}

static int api_compare_process(uint32_t a, uint32_t b, const void *ctx)
{
	const uint32_t *proc = ctx;

	return sort_3way(proc[a], proc[b]);
}

/* The order of n calls by process; proc: the process of each call.  With few calls, sorting is faster than visiting
 * every process. */
static uint32_t *api_sort_by_process(const trace *t, const uint32_t *proc, size_t n)
{
	size_t *first = n < t->nprocs ? NULL : mem_new(size_t, t->nprocs + 1);
	uint32_t *order = first ? sort_groups(proc, n, t->nprocs, first) : sort_all(n, api_compare_process, proc);

	free(first);
	return order;
}

/* Add a row for each CUDA call, process by process, because the trace mixes the processes.  Then add one for each MPI
 * call. */
static void api_add_calls_each(api_ctx *x)
{
	const trace *t = x->a->t;
	vec(uint32_t) found = { 0 }, proc = { 0 };
	uint32_t *order;

	for (size_t i = 0, end = 0; i < end || window_next_calls(t, &x->a->w->cpu, &i, &end); i++) {
		call c = api_read_call(x, i);
		if (!api_is_wanted(x, &c))
			continue;
		vec_push(&found, (uint32_t)i);
		vec_push(&proc, t->threads[c.thread].proc);
	}
	order = api_sort_by_process(t, proc.v, found.n);
	for (size_t i = 0; i < found.n + x->mpi.n; i++) {
		size_t at = i < found.n ? found.v[order[i]] : t->calls.n + i - found.n;
		call c = api_read_call(x, at);
		if (i < found.n || api_is_wanted(x, &c))
			api_add_call_row(x, at, &c);
	}
	mem_free(order, found.v, proc.v);
}

enum { KEY_NAME, KEY_SOURCE, KEY_CLASS, KEY_THREAD, KEY_PROC, KEYS };

static void api_add_sum_rows(api_ctx *x, const sums *by, const stats_summary *sum)
{
	const trace *t = x->a->t;
	table *out = x->a->out;
	int64_t total = 0;

	for (size_t i = 0; i < by->g.n; i++)
		total = ns_add(total, sum[i].total);
	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		call_sources_add(&x->sourced, (uint32_t)key[KEY_SOURCE], sum[i].total);
		answer_add_row_of(x->a, (uint32_t)key[KEY_PROC]);
		table_stats(out, (table_stats_ids){ COUNT, TOTAL_NS, MEAN_NS, P50_NS, P90_NS, COL_NONE, MIN_NS,
			MAX_NS }, &sum[i]);
		table_pct(out, PCT, sum[i].total, total);
		table_word(out, CLASS, call_class_name((enum call_class)key[KEY_CLASS]));
		table_set_name(out, SOURCE, (uint32_t)key[KEY_SOURCE]);
		table_set_name(out, NAME, (uint32_t)key[KEY_NAME]);
		if (x->p->keys & API_BY_THREAD) {
			table_int(out, TID, t->threads[key[KEY_THREAD]].tid);
			table_set_name(out, THREAD, t->threads[key[KEY_THREAD]].name);
		}
	}
}

typedef struct {                /* the group of the calls of one kind (trace_calls.kind), so that it is looked up only
				 * once; kind NONE: empty */
	uint32_t kind;
	size_t group;
} group_memo;

static size_t api_find_group(const api_ctx *x, sums *by, size_t i, const call *c)
{
	unsigned keys = x->p->keys;

	return group_of(&by->g, (int64_t[]){
		[KEY_NAME] = keys & API_BY_NAME ? c->name : STR_NONE,
		[KEY_SOURCE] = x->sources && c->class != CALL_MPI ? call_sources_name(x->sources, (uint32_t)i) :
			STR_NONE,
		[KEY_CLASS] = keys & (API_BY_NAME | API_BY_CLASS) ? c->class : 0,
		[KEY_THREAD] = keys & API_BY_THREAD ? c->thread : 0,
		[KEY_PROC] = keys & (API_BY_PID | API_BY_THREAD) ? x->a->t->threads[c->thread].proc : x->a->w->proc });
}

enum { MEMOS = 64 };

static void api_add_calls(const api_ctx *x, size_t lo, size_t hi, group_memo *met, sums *by)
{
	const trace_calls *calls = &x->a->t->calls;

	for (size_t i = lo; i < hi; i++) {
		call c = api_read_call(x, i);
		uint32_t kind = i < calls->n ? calls->kind[i] : NONE;
		group_memo *m = &met[kind % MEMOS];
		if (!api_is_wanted(x, &c))
			continue;
		if (kind == NONE || x->sources || m->kind != kind)
			*m = (group_memo){ kind, api_find_group(x, by, i, &c) };
		stats_add(&by->times, m->group, ival_within(&x->a->w->cpu, c.start, c.end));
	}
}

/* Sum the CUDA calls in the window, then its MPI calls. */
static void api_sum_calls(api_ctx *x)
{
	const trace *t = x->a->t;
	size_t lo, hi = 0;
	sums by = sums_by(KEYS, 0);
	group_memo met[MEMOS];
	stats_summary *times;

	for (size_t i = 0; i < MEMOS; i++)
		met[i].kind = NONE;
	while (window_next_calls(t, &x->a->w->cpu, &lo, &hi))
		api_add_calls(x, lo, hi, met, &by);
	api_add_calls(x, t->calls.n, t->calls.n + x->mpi.n, met, &by);
	times = sums_times(&by);
	api_add_sum_rows(x, &by, times);
	free(times);
	sums_free(&by);
}

/* ---- how long launches take, and how long the work waits afterwards */

enum { SMALL_NS = 10000 };

typedef struct {
	stats call;             /* times of the launching calls, as far as they are in the window */
	stats queue;            /* start of a call's first kernel or graph minus the end of the call */
	stats latency;          /* start of a call's first kernel or graph minus the start of the call */
	stats kernel;           /* whole times of the kernels that they launched */
	int64_t count;          /* number of launching calls */
	int64_t kernels;        /* number of kernels that they launched */
	int64_t small;          /* number of these kernels that are shorter than SMALL_NS */
	dict names;             /* API_KERNELS: by group, the name of the first kernel or graph that its calls
				 * launched */
} launch_times;

/* The kernel or graph with the earliest start among the work that a call launched; NONE: there is none.  [work, end):
 * work in order of launch, from the first piece that the call launched. */
static uint32_t api_find_first_launched(const trace_work *w, size_t launch, const uint32_t *work, const uint32_t *end)
{
	uint32_t first = NONE;

	for (; work < end && w->launch[*work] == launch; work++)
		if (w->kind[*work] <= WORK_GRAPH && (first == NONE || w->start[*work] < w->start[first]))
			first = *work;
	return first;
}

/* Add a launching call to the sums.  [work, end): the work of the process in order of launch, from the first piece that
 * the call launched.  by_name: in the group of its first kernel or graph; a call that launched none is left out. */
static void api_add_launch(const trace *t, const window *w, size_t launch, const uint32_t *work, const uint32_t *end,
			   bool by_name, launch_times *to)
{
	uint32_t first = api_find_first_launched(&t->work, launch, work, end);
	size_t key = 0;

	if (by_name && first == NONE)
		return;
	if (by_name)
		key = dict_key(&to->names, work_name(&t->work, first));
	stats_add(&to->call, key, ival_within(&w->cpu, t->calls.start[launch], t->calls.end[launch]));
	for (; work < end && t->work.launch[*work] == launch; work++) {
		int64_t dur = t->work.end[*work] - t->work.start[*work];
		if (t->work.kind[*work] != WORK_KERNEL)
			continue;
		stats_add(&to->kernel, key, dur);
		to->kernels++;
		to->small += dur < SMALL_NS;
	}
	if (first != NONE) {
		stats_add(&to->queue, key, t->work.start[first] - t->calls.end[launch]);
		stats_add(&to->latency, key, t->work.start[first] - t->calls.start[launch]);
	}
}

static void api_put_times(table *out, table_stats_ids ids, stats *of)
{
	stats_summary *sum = stats_finish(of, 1);

	table_stats(out, ids, sum);
	free(sum);
}

/* List the launching calls of each process.  This is done once for all windows, because the trace mixes the calls of
 * all processes. */
static void api_list_launches(api_ctx *x)
{
	const trace *t = x->a->t;

	x->launches = mem_new(call_list, t->nprocs);
	for (size_t i = 0; i < t->calls.n; i++)
		if (calls_class(&t->calls, i) == CALL_LAUNCH)
			vec_push(&x->launches[t->threads[calls_thread(&t->calls, i)].proc], (uint32_t)i);
}

/* Sum the launches of the process in the window.  With API_LAUNCH_COUNTS, only `count` is set. */
static launch_times api_sum_launches(const api_ctx *x, uint32_t proc)
{
	trace *t = x->a->t;
	const window *w = x->a->w;
	bool counts_only = x->p->mode == API_LAUNCH_COUNTS;
	const uint32_t *calls = x->launches[proc].v;
	launch_times found = { 0 };
	size_t lo, hi = 0, at, next, n = 0;
	const uint32_t *work = counts_only ? NULL : projection_launched(projection_order(t), proc, &n);

	while (window_next_calls(t, &w->cpu, &lo, &hi)) {
		search_first(at, 0, x->launches[proc].n, calls[at] >= lo);
		search_first(next, 0, n, t->work.launch[work[next]] >= lo);
		for (; at < x->launches[proc].n && calls[at] < hi; at++)
			if (window_has(w, &w->cpu, t->calls.start[calls[at]], t->calls.end[calls[at]])) {
				while (next < n && t->work.launch[work[next]] < calls[at])
					next++;
				found.count++;
				if (!counts_only)
					api_add_launch(t, w, calls[at], work + next, work + n,
						       x->p->mode == API_KERNELS, &found);
			}
	}
	return found;
}

/* Add a row for each kernel that the process launches. */
static void api_add_kernel_rows(api_ctx *x, uint32_t proc, launch_times *s)
{
	table *out = x->a->out;
	size_t n = s->names.n;
	stats_summary *api = stats_finish(&s->call, n), *queue = stats_finish(&s->queue, n),
		  *latency = stats_finish(&s->latency, n), *kernel = stats_finish(&s->kernel, n);

	for (size_t i = 0; i < n; i++) {
		answer_add_row_of(x->a, proc);
		table_stats(out, (table_stats_ids){ .count = LAUNCHES, .total = TOTAL_NS, .p50 = API_P50_NS,
			    .p90 = API_P90_NS }, &api[i]);
		table_stats(out, (table_stats_ids){ .p50 = QUEUE_P50_NS, .p90 = QUEUE_P90_NS }, &queue[i]);
		table_stats(out, (table_stats_ids){ .p50 = LATENCY_P50_NS }, &latency[i]);
		table_stats(out, (table_stats_ids){ .p50 = KERNEL_P50_NS }, &kernel[i]);
		table_set_name(out, KERNEL, (uint32_t)s->names.value[i]);
	}
	mem_free(api, queue, latency, kernel);
	dict_free(&s->names);
}

/* Add a row for each process that launches. */
static void api_add_launch_rows(api_ctx *x)
{
	trace *t = x->a->t;
	table *out = x->a->out;
	uint32_t before = NONE, end, thread = trace_find_threads(t, x->a->w->proc, &end);

	for (; thread < end; thread++) {
		uint32_t p = t->threads[thread].proc;
		launch_times found, *s = &found;
		if (p == before)
			continue;
		found = api_sum_launches(x, before = p);
		if (x->p->mode == API_KERNELS)
			api_add_kernel_rows(x, p, s);
		if (!s->count || x->p->mode == API_KERNELS)
			continue;
		answer_add_row_of(x->a, p);
		table_int(out, LAUNCHES, s->count);
		if (x->p->mode == API_LAUNCH_COUNTS)
			continue;
		table_num(out, LAUNCHES_PER_S, (double)s->count / ((double)ival_length(&x->a->w->cpu) / 1e9));
		table_pct(out, SMALL_PCT, s->small, s->kernels);
		api_put_times(out, (table_stats_ids){ .p50 = API_P50_NS, .p90 = API_P90_NS, .p99 = API_P99_NS },
			      &s->call);
		api_put_times(out, (table_stats_ids){ .p50 = QUEUE_P50_NS, .p90 = QUEUE_P90_NS, .p99 = QUEUE_P99_NS },
			      &s->queue);
		api_put_times(out, (table_stats_ids){ .p50 = LATENCY_P50_NS, .p99 = LATENCY_P99_NS }, &s->latency);
		api_put_times(out,
			      (table_stats_ids){ .p50 = KERNEL_P50_NS, .p90 = KERNEL_P90_NS, .p99 = KERNEL_P99_NS },
			      &s->kernel);
	}
}

static bool api_add_rows(answer_ctx *a, const void *params)
{
	const api_params *p = params;
	api_ctx x = { .a = a, .p = p, .base = call_base_names(a->t) };

	if (p->mode == API_SUMS && p->keys & API_BY_SOURCE)
		x.sources = call_sources_of(a->t);
	if (api_needs_why(p))
		x.why = long_launches_of(a->t);
	if (p->mode & (API_LAUNCH | API_KERNELS | API_LAUNCH_COUNTS))
		api_list_launches(&x);
	while (answer_next_window(a)) {
		api_list_mpi_calls(&x);
		if (p->mode == API_EACH)
			api_add_calls_each(&x);
		else if (p->mode & (API_LAUNCH | API_KERNELS | API_LAUNCH_COUNTS))
			api_add_launch_rows(&x);
		else
			api_sum_calls(&x);
	}
	if (x.sources)
		call_sources_mention(x.sources, &x.sourced, false, a->say);
	for (size_t i = 0; x.launches && i < a->t->nprocs; i++)
		vec_free(&x.launches[i]);
	mem_free(x.launches, x.mpi.v);
	return true;
}

const answer api_answer = {
	.all = all_columns, .columns = api_list_columns, .question = api_make_question, .rows = api_add_rows
};
