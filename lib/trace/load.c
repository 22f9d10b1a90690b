#include "trace/load.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/global_id.h"
#include "trace/graph_nodes.h"
#include "trace/launches.h"
#include "trace/load_calls.h"
#include "trace/load_cpu.h"
#include "trace/load_metrics.h"
#include "trace/load_syncs.h"
#include "trace/order_calls.h"
#include "trace/order_ranges.h"
#include "trace/order_work.h"
#include "trace/process_names.h"
#include "trace/rules.h"

#include <string.h>

/* What load_trace was asked for, and what has been read but is not in the trace yet. */
typedef struct {
	trace *t;
	unsigned need;
	const load_comm_pattern *comm;
	work_raw work;
	bool ordered;                   /* is the work sorted? */
	nvtx_raw nvtx;
	calls_raw calls;
	cpu_raw cpu;
	launches *launches;             /* NULL: not needed */
	graph_nodes *nodes;             /* NULL: not needed */
	dict processes;                 /* processes with events, as in global_id.h */
	dict threads;                   /* global ids of threads with events */
} load_ctx;

/* Add the flags that other flags imply. */
static unsigned load_add_implied_needs(unsigned need)
{
	if (need & (TRACE_CALL_CHAINS | TRACE_SYNCS))
		need |= TRACE_CALLS;
	if (need & TRACE_SYNCS)
		need |= TRACE_LAUNCH;
	if (need & TRACE_RESOURCES)
		need |= TRACE_SHAPE;
	if (need & TRACE_PAYLOADS)
		need |= TRACE_RANGES;
	if (need & TRACE_MPI_SPAN)
		need |= TRACE_MPI;
	if (need & TRACE_CHAINS)
		need |= TRACE_SAMPLES;
	if (need & (TRACE_OS | TRACE_SWITCHES | TRACE_SAMPLES))
		need |= TRACE_CPU;
	return need;
}

static int load_compare_processes(const void *x, const void *y)
{
	const trace_proc *a = x, *b = y;

	return global_order(a->id, b->id);
}

static int load_compare_threads(const void *x, const void *y)
{
	const trace_thread *a = x, *b = y;

	return a->proc != b->proc ? sort_3way(a->proc, b->proc) : sort_3way(a->tid, b->tid);
}

/* Set trace_proc.sub and shown.  Processes with the same pid are neighbours in trace.procs. */
static void load_set_shown_pids(trace *t)
{
	for (size_t i = 0; i < t->nprocs; i++) {
		trace_proc *p = &t->procs[i];
		bool twin = (i > 0 && p[-1].pid == p->pid) || (i + 1 < t->nprocs && p[1].pid == p->pid);
		p->sub = twin ? global_sub(p->id) : -1;
		number_pid_text(p->pid, p->sub, p->shown);
	}
}

static void load_number_processes(trace *t, const dict *processes, const dict *threads)
{
	t->procs = mem_new(trace_proc, processes->n);
	t->nprocs = processes->n;
	for (size_t i = 0; i < processes->n; i++)
		t->procs[i] = (trace_proc){ .id = processes->value[i], .pid = global_pid_of(processes->value[i]),
			.rank = -1, .loads = TRACE_UNKNOWN, .events = IVAL_NOWHERE, .gpu = IVAL_NOWHERE };
	qsort(t->procs, t->nprocs, sizeof *t->procs, load_compare_processes);
	load_set_shown_pids(t);
	t->threads = mem_new(trace_thread, threads->n);
	t->nthreads = threads->n;
	for (size_t i = 0; i < threads->n; i++)
		t->threads[i] = (trace_thread){ .proc = trace_proc_of(t, threads->value[i]),
			.tid = global_tid(threads->value[i]), .name = STR_NONE };
	qsort(t->threads, t->nthreads, sizeof *t->threads, load_compare_threads);
}

typedef struct {
	const trace *t;
	dict ids;                               /* ids of the names in nsys's table of strings */
	vec(uint32_t) thread;                   /* by row: index of its thread */
	vec(uint32_t) key;                      /* by row: its name, as a key of ids */
} thread_names;

static void load_take_thread_name(sqlite3_stmt *s, void *ctx)
{
	thread_names *n = ctx;
	uint32_t thread = trace_thread_of(n->t, sqlite3_column_int64(s, 0));

	if (thread == NONE)
		return;
	vec_push(&n->thread, thread);
	vec_push(&n->key, dict_key(&n->ids, sqlite3_column_int64(s, 1)));
}

/* Give threads that NVTX did not name the names that the operating system has for them.  Among several names of a
 * thread, the last in text order counts. */
static bool load_thread_names(trace *t)
{
	const db_table *p = db_find_with(t->db, "ThreadNames", "globalTid nameId");
	thread_names n = { .t = t };
	uint32_t *strings, *name;
	bool ok;

	if (!p)
		return true;
	ok = db_each(t->db, load_take_thread_name, &n, "SELECT globalTid, nameId FROM \"%w\" WHERE nameId NOT NULL",
		     p->name);
	strings = ok ? trace_find_strings(t, &n.ids) : NULL;
	name = mem_none(uint32_t, t->nthreads);
	for (size_t i = 0; strings && i < n.thread.n; i++) {
		uint32_t thread = n.thread.v[i], s = strings[n.key.v[i]];
		if (str_cmp(&t->names, s, name[thread]) > 0)
			name[thread] = s;
	}
	for (size_t i = 0; strings && i < t->nthreads; i++)
		if (t->threads[i].name == STR_NONE)
			t->threads[i].name = name[i];
	ok = strings;
	mem_free(strings, name);
	dict_free(&n.ids);
	vec_free(&n.thread);
	vec_free(&n.key);
	return ok;
}

/* Is a kernel with this name communication?  The built-in list (share/rules/comm.tsv) labels names with the project
 * that the kernel comes from, or with "compute": not communication.  list NULL: the user's pattern replaces it. */
static bool load_is_comm(const load_ctx *l, const rules *list, const char *name)
{
	const char *label = list ? rules_match(list, name) : NULL;

	return (label && strcmp(label, "compute") != 0) || (l->comm && pattern_matches(l->comm->names, name));
}

static bool load_read_work(load_ctx *l)
{
	return load_work(l->t, l->need, &l->work);
}

/* Two functions that run at the same time. */
typedef struct {
	load_ctx *l;
	bool (*run[2])(load_ctx *l);
	bool ok[2];             /* what each returned */
} load_pair;

static void load_run_one_of_pair(void *ctx, size_t i)
{
	load_pair *p = ctx;

	p->ok[i] = p->run[i](p->l);
}

static bool load_run_both(load_ctx *l, bool (*a)(load_ctx *), bool (*b)(load_ctx *))
{
	load_pair p = { l, { a, b }, { false, false } };

	par_do(l->t->workers, 2, load_run_one_of_pair, &p);
	return p.ok[0] && p.ok[1];
}

static bool load_read_nvtx(load_ctx *l)
{
	return load_nvtx(l->t, l->need, &l->nvtx);
}

static bool load_name_nvtx(load_ctx *l)
{
	bool ok = load_nvtx_add_names(l->t, &l->nvtx);

	if (ok && !(l->need & TRACE_RANGES) && l->need & TRACE_MPI && !l->t->has_mpi &&
	    load_nvtx_has_domain(l->t, &l->nvtx, "MPI")) {
		l->need |= TRACE_RANGES;        /* this trace has MPI calls as ranges, so NVTX is read again; few traces
						 * need that */
		load_nvtx_free(&l->nvtx);
		l->nvtx = (nvtx_raw){ 0 };
		ok = load_read_nvtx(l) && load_nvtx_add_names(l->t, &l->nvtx);
	}
	if (ok)
		load_nvtx_add_ids(&l->nvtx, &l->processes, &l->threads);
	return ok;
}

static bool load_read_nodes(load_ctx *l)
{
	if (!(l->need & TRACE_CAPTURES))
		return true;
	l->nodes = graph_nodes_read(l->t);
	return l->nodes;
}

/* List the processes of the work.  If only calls that launched work are kept, also collect the correlation ids of the
 * work, which load_calls needs for that.  Otherwise load_join_launches collects them, while load_build_syncs runs. */
static void load_list_launches(load_ctx *l)
{
	int64_t *process = mem_new(int64_t, l->t->nstreams);

	for (size_t i = 0; i < l->t->nstreams; i++)
		process[i] = l->work.places.v[i].process;
	l->launches = launches_build(l->t, process);
	if (!(l->need & TRACE_CALLS))
		launches_collect_ids(l->t, l->launches);
	free(process);
}

static bool load_order_work(load_ctx *l)
{
	if (l->ordered)
		return true;
	l->ordered = order_work_adopt(l->t, &l->processes, &l->work);
	if (l->ordered)
		order_work_build(l->t, &l->work);
	if (l->ordered && l->need & TRACE_LAUNCH)
		load_list_launches(l);
	return l->ordered;
}

/* Sort the work early, which saves memory.  If some work names no process, do nothing; load_order_work sorts the work
 * once NVTX events have been read, because they may say which process owns it. */
static bool load_order_work_early(load_ctx *l)
{
	return order_work_has_orphans(&l->work) || load_order_work(l);
}

/* Order work and read NVTX at the same time: neither uses what the other makes. */
static bool load_order_work_and_read_nvtx(load_ctx *l)
{
	return load_run_both(l, load_order_work_early, load_read_nvtx);
}

/* Set trace.comm.  Types of kernels are the first work_raw.kernels types. */
static bool load_find_comm(load_ctx *l)
{
	trace *t = l->t;
	bool uses_list = l->work.kernels && (!l->comm || l->comm->adds);
	rules *list = uses_list ? rules_load_any_case("comm", t->say) : NULL;
	uint32_t p2p = str_id(&t->names, "memcpy p2p", strlen("memcpy p2p"));
	uint8_t *met = mem_new(uint8_t, t->names.n);    /* by name: 1 + load_is_comm(name); 0: not known yet.  Many
							 * types have the same name */

	t->comm = mem_new(uint8_t, t->work.types.n);
	for (size_t i = 0; i < t->work.types.n; i++) {
		uint32_t name = t->work.types.v[i].name;
		if (name == STR_NONE)
			continue;
		if (i < l->work.kernels && !met[name])
			met[name] = 1 + load_is_comm(l, list, str_at(&t->names, name));
		t->comm[i] = (i < l->work.kernels && met[name] > 1 ? COMM_KERNEL : 0) | (name == p2p ? COMM_COPY : 0);
	}
	rules_free(list);
	free(met);
	return list || !uses_list;
}

static bool load_read_calls(load_ctx *l)
{
	return load_calls(l->t, l->need, l->launches, &l->calls);
}

static bool load_read_cpu(load_ctx *l)
{
	return load_cpu(l->t, l->need, &l->cpu);
}

static bool load_number_all(load_ctx *l)
{
	load_calls_add_ids(&l->calls, &l->processes, &l->threads);
	load_cpu_add_ids(&l->cpu, &l->processes, &l->threads);
	order_work_add_ids(&l->work, &l->processes);
	load_number_processes(l->t, &l->processes, &l->threads);
	order_calls_number(l->t, &l->calls);
	order_work_number(l->t, &l->work);
	order_ranges_number(l->t, &l->nvtx);
	return true;
}

static void load_store_launches(load_ctx *l)
{
	if (l->launches)
		launches_store(l->t, l->launches);
	l->launches = NULL;
}

static bool load_sort_calls(load_ctx *l)
{
	order_calls_sort(l->t, l->need, &l->calls);
	return true;
}

static bool load_build_ranges(load_ctx *l)
{
	order_ranges_build(l->t, l->need, &l->nvtx);
	return true;
}

static bool load_build_syncs(load_ctx *l)
{
	return !(l->need & TRACE_SYNCS) || load_syncs(l->t, l->work.adopter, l->calls.corr);
}

/* Join work to the calls that launched it. */
static bool load_join_launches(load_ctx *l)
{
	if (l->launches && l->need & TRACE_CALLS)
		launches_collect_ids(l->t, l->launches);
	if (l->launches)
		launches_find_calls(l->t, l->launches, l->calls.corr);
	load_store_launches(l);
	return true;
}

static void load_widen_by_processes(const trace *t, ival *span)
{
	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].events.a <= t->procs[i].events.b)
			event_span_widen(span, t->procs[i].events.a, t->procs[i].events.b);
}

static bool load_order_events(load_ctx *l)
{
	order_work_classify(l->t);
	if (l->nodes)
		graph_nodes_set_captures(l->t, l->nodes);
	if (!load_run_both(l, load_sort_calls, load_build_ranges) ||
	    !load_run_both(l, load_join_launches, load_build_syncs))
		return false;
	load_calls_free(&l->calls);
	load_widen_by_processes(l->t, &l->t->cuda_nvtx_span);
	order_ranges_build_marks(l->t, l->need, &l->nvtx);
	load_cpu_build(l->t, l->need, &l->cpu);
	return true;
}

static bool load_collect_payloads(load_ctx *l)
{
	return !(l->need & TRACE_PAYLOADS) || payloads_collect(l->t, &l->nvtx);
}

static bool load_read_metrics(load_ctx *l)
{
	return !(l->need & TRACE_METRICS) || load_metrics(l->t);
}

static void load_widen_by_metrics(trace *t)
{
	for (size_t i = 0; i < t->nmetrics; i++) {
		const trace_metric *m = &t->metrics[i];
		event_span_widen(&t->span, m->time[0], m->time[0]);
		event_span_widen(&t->span, m->time[m->n - 1], m->time[m->n - 1]);
	}
}

static bool load_find_spans(load_ctx *l)
{
	load_widen_by_metrics(l->t);
	load_widen_by_processes(l->t, &l->t->span);
	for (size_t i = 0; i < l->t->nprocs; i++) {
		trace_proc *p = &l->t->procs[i];
		if (p->events.a == p->events.b && p->events.b < INT64_MAX)
			p->events.b++;  /* all events of the process are marks at one moment */
		if (p->gpu.a < p->gpu.b)
			event_span_widen(&l->t->work_span, p->gpu.a, p->gpu.b);
	}
	return true;
}

static bool load_name_processes(load_ctx *l)
{
	return process_names_load(l->t) && (!(l->need & TRACE_RANGES) || load_thread_names(l->t));
}

/* The steps of loading.  Each comment reads: what the step uses -> what the step makes. */
static const struct {
	const char *name;
	bool (*run)(load_ctx *l);
} steps[] = {
	{ "read work", load_read_work },    /* tables of work -> trace.work in the order of the tables,
					     * work_raw.places */
	{ "order work", load_order_work_and_read_nvtx }, /* if all work names its process: work_raw.places -> streams,
							  * lanes, sorted work and its correlation ids; table of NVTX ->
							  * nvtx_raw, and ranges whose names and kinds are numbers that
							  * nvtx_part.rows explains */
	{ "name ranges", load_name_nvtx },  /* nvtx_part.texts and text_ids -> trace.names */
	{ "read graphs", load_read_nodes }, /* table of graph nodes -> the nodes, and from which node each was cloned */
	{ "order orphans", load_order_work },	/* if "order work" did not sort the work: work_raw.places, processes
						 * with NVTX events -> streams, lanes, sorted work and its correlation
						 * ids */
	{ "communication", load_find_comm },	/* work.types -> trace.comm */
	{ "read calls", load_read_calls },	/* table of calls, correlation ids -> calls whose kinds are numbers of
						 * calls_part.pairs */
	{ "read CPU", load_read_cpu },		/* tables of OS calls, switches, samples, MPI calls -> cpu_raw */
	{ "number", load_number_all }, /* global ids of all tables -> processes, threads; their spans, counts and setup
				        * labels */
	{ "order", load_order_events }, /* processes, threads, spans -> classes of streams, captures, sorted calls,
				        * work.launch, sorted ranges, domains, syncs, marks, OS calls, stretches,
				        * samples, MPI calls */
	{ "payloads", load_collect_payloads }, /* nvtx_part.payloads, domains -> trace.payloads */
	{ "read metrics", load_read_metrics }, /* table of metrics -> trace.metrics */
	{ "spans", load_find_spans },	       /* spans of processes, times of metrics -> trace.span, trace.work_span */
	{ "names", load_name_processes },      /* tables of names -> names of processes and threads */
};

bool load_trace(trace *t, unsigned need, const load_comm_pattern *comm)
{
	const size_t nsteps = sizeof steps / sizeof *steps;
	bool chains = db_find(t->db, "CUDA_CALLCHAINS"), ok = true;     /* a trace without call chains needs no calls
									 * for TRACE_CALL_CHAINS */
	load_ctx l = { .t = t,
		       .need = load_add_implied_needs(chains ? need : need & ~(unsigned)TRACE_CALL_CHAINS),
		       .comm = comm };

	if (!graph_nodes_find_table(t))
		l.need &= ~(unsigned)TRACE_CAPTURES;
	for (size_t i = 0; ok && i < nsteps; i++) {
		ok = steps[i].run(&l);
		if (t->watch)
			t->watch(t->watch_ctx, steps[i].name, i + 1, nsteps);
	}
	load_store_launches(&l);
	if (l.nodes)
		graph_nodes_free(l.nodes);
	load_work_free(&l.work);
	load_nvtx_free(&l.nvtx);
	load_calls_free(&l.calls);
	load_cpu_free(&l.cpu);
	dict_free(&l.processes);
	dict_free(&l.threads);
	str_share(&t->names);
	return ok;
}

bool load_trace_metrics(trace *t)
{
	if (!load_metrics(t))
		return false;
	load_widen_by_metrics(t);
	return true;
}
