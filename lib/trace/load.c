#include "trace/load.h"
#include "trace/load_calls.h"
#include "trace/launches.h"
#include "trace/order_work.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "trace/order_ranges.h"
#include "base/sort.h"

#include <string.h>
#include <strings.h>

static int proc_order(const void *x, const void *y)
{
	const trace_proc *a = x, *b = y;

	return a->pid != b->pid ? sort_3way(a->pid, b->pid) : sort_3way(a->id, b->id);
}

static int thread_order(const void *x, const void *y)
{
	const trace_thread *a = x, *b = y;

	return a->proc != b->proc ? sort_3way(a->proc, b->proc) : sort_3way(a->tid, b->tid);
}

static void number_processes(trace *t, const dict *processes, const dict *threads)
{
	t->procs = mem_new(trace_proc, processes->n);
	t->nprocs = processes->n;
	for (size_t i = 0; i < processes->n; i++)
		t->procs[i] = (trace_proc){ .id = processes->value[i],
			.pid = processes->value[i] & 0xffffff, .rank = -1,
			.events = IVAL_NOWHERE, .gpu = IVAL_NOWHERE };
	qsort(t->procs, t->nprocs, sizeof *t->procs, proc_order);
	t->threads = mem_new(trace_thread, threads->n);
	t->nthreads = threads->n;
	for (size_t i = 0; i < threads->n; i++)
		t->threads[i] = (trace_thread){ .proc = trace_proc_of(t, threads->value[i]),
			.tid = threads->value[i] & 0xffffff, .name = STR_NONE };
	qsort(t->threads, t->nthreads, sizeof *t->threads, thread_order);
}

static void process_row(sqlite3_stmt *s, void *ctx)
{
	trace *t = ctx;
	uint32_t p = trace_proc_of(t, sqlite3_column_int64(s, 0));
	const char *name = (const char *)sqlite3_column_text(s, 1);

	if (p != NONE && name && *name && (!t->procs[p].name || strcmp(name, t->procs[p].name) > 0))
		t->procs[p].name = mem_text(name, strlen(name));
}

static bool load_process_names(trace *t)
{
	const db_table *p = db_find(t->db, "PROCESSES");
	char *q;
	bool ok;

	if (!p || db_column(p, "globalPid") < 0 || db_column(p, "name") < 0)
		return true;
	q = db_query("SELECT globalPid, name FROM \"%w\" LIMIT %lld", p->name, (long long)t->db->max_rows);
	ok = db_each(t->db, q, process_row, t);
	sqlite3_free(q);
	return ok;
}

typedef struct {
	const trace *t;
	dict ids;                               /* of strings */
	vec(uint32_t) thread, key;              /* by row; key of ids */
} thread_names;

static void thread_row(sqlite3_stmt *s, void *ctx)
{
	thread_names *n = ctx;
	uint32_t thread = trace_thread_of(n->t, sqlite3_column_int64(s, 0));

	if (thread == NONE)
		return;
	vec_push(&n->thread, thread);
	vec_push(&n->key, dict_key(&n->ids, sqlite3_column_int64(s, 1)));
}

/* The operating system's thread names, where NVTX gave none; of several the last in order. */
static bool load_thread_names(trace *t)
{
	const db_table *p = db_find(t->db, "ThreadNames");
	thread_names n = { .t = t };
	uint32_t *strings, *name;
	char *q;
	bool ok;

	if (!p || db_column(p, "globalTid") < 0 || db_column(p, "nameId") < 0)
		return true;
	q = db_query("SELECT globalTid, nameId FROM \"%w\" WHERE nameId NOT NULL LIMIT %lld", p->name,
		     (long long)t->db->max_rows);
	ok = db_each(t->db, q, thread_row, &n);
	sqlite3_free(q);
	strings = ok ? trace_strings(t, &n.ids) : NULL;
	name = mem_new(uint32_t, t->nthreads);
	memset(name, 0xff, t->nthreads * sizeof *name);
	for (size_t i = 0; strings && i < n.thread.n; i++) {
		uint32_t thread = n.thread.v[i], s = strings[n.key.v[i]];
		if (str_cmp(&t->names, s, name[thread]) > 0)
			name[thread] = s;
	}
	for (size_t i = 0; strings && i < t->nthreads; i++)
		if (t->threads[i].name == STR_NONE)
			t->threads[i].name = name[i];
	ok = strings;
	free(strings);
	free(name);
	dict_free(&n.ids);
	vec_free(&n.thread);
	vec_free(&n.key);
	return ok;
}

/* By string: is a kernel of this name communication? */
static void find_comm(trace *t, const work_raw *work, const regex_t *rule)
{
	t->comm = mem_new(bool, t->names.n);
	for (size_t i = 0; i < work->names.n; i++) {
		uint32_t name = work->names.v[i];
		t->comm[name] = rule ? pattern_matches(rule, t->names.text[name]) :
			strncasecmp(t->names.text[name], "nccl", 4) == 0;
	}
}

/* The correlation ids of work, where it is asked who launched it. */
static join *number_launches(trace *t, unsigned need, const work_raw *work)
{
	int64_t *process;
	join *j;

	if (!(need & (TRACE_LAUNCH | TRACE_COMM_LAUNCH | TRACE_LAUNCHED)))
		return NULL;
	process = mem_new(int64_t, t->nstreams);
	for (size_t i = 0; i < t->nstreams; i++)
		process[i] = work->places.v[i].global_pid >> 24;
	j = join_build(t, process, need & TRACE_COMM_LAUNCH);
	free(process);
	return j;
}

typedef struct {
	trace *t;
	unsigned need;
	nvtx_raw *ranges;
	calls_raw *calls;
	join *join;
} build_job;

/* What does not touch what the others do: ranges, calls, work. */
static void build(void *ctx, size_t which)
{
	build_job *j = ctx;

	if (which == 0) {
		range_build(j->t, j->need, j->ranges);
	} else if (which == 1) {
		calls_sort(j->t, j->calls);
		if (j->join)
			join_calls(j->t, j->join, j->calls->number);
	} else {
		lane_classify(j->t);
	}
}

/* The spans of the trace from those of its processes. */
static void find_spans(trace *t)
{
	for (size_t i = 0; i < t->nprocs; i++) {
		trace_proc *p = &t->procs[i];
		if (p->events.a == p->events.b && p->events.b < INT64_MAX)
			p->events.b++;  /* marks of one moment, and nothing else */
		if (p->events.a < p->events.b)
			span_widen(&t->span, p->events.a, p->events.b);
		if (p->gpu.a < p->gpu.b)
			span_widen(&t->work_span, p->gpu.a, p->gpu.b);
	}
}

bool load_trace(trace *t, unsigned need, const void *comm)
{
	work_raw work = { 0 };
	calls_raw calls = { 0 };
	nvtx_raw ranges = { 0 };
	join *launches = NULL;
	dict processes = { 0 }, threads = { 0 };
	bool ok = work_scan(t, need, &work) && nvtx_scan(t, need, &ranges);

	if (ok) {
		nvtx_ids(&ranges, &processes, &threads);
		ok = lane_adopt(t, &processes, &work);
	}
	if (ok) {
		lane_build(t, &work);
		find_comm(t, &work, comm);
		launches = number_launches(t, need, &work);
	}
	ok = ok && calls_scan(t, need, launches, &calls);
	if (ok) {
		calls_ids(&calls, &processes, &threads);
		lane_ids(&work, &processes);
		number_processes(t, &processes, &threads);
		calls_number(t, need, &calls);
		lane_number(t, &work);
		range_number(t, &ranges);
		par_do(t->db->threads, 3, build, &(build_job){ t, need, &ranges, &calls, launches });
		find_spans(t);
	}
	if (launches)
		join_end(t, launches);
	ok = ok && load_process_names(t) && (!(need & TRACE_RANGES) || load_thread_names(t));
	work_raw_free(&work);
	calls_raw_free(&calls);
	nvtx_raw_free(&ranges);
	dict_free(&processes);
	dict_free(&threads);
	return ok;
}
