#include "load.h"
#include "call.h"
#include "join.h"
#include "mem.h"
#include "par.h"
#include "pattern.h"
#include "range.h"
#include "sort.h"
#include "work.h"

#include <string.h>
#include <strings.h>

static const ival nowhere = { INT64_MAX, INT64_MIN };

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
			.events = nowhere, .gpu = nowhere };
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

/* The operating system's thread names, where NVTX gave none. */
static bool load_thread_names(trace *t)
{
	scan_col c[] = { { .names = "globalTid", .type = SCAN_INT, .null = -1 },
			 { .names = "nameId", .type = SCAN_KEY, .null = -1 } };
	size_t n;
	bool ok = scan_table(t->db, db_find(t->db, "ThreadNames"), c, 2, &t->names, &n) &&
		trace_names(t, &c[1], n);
	uint32_t *name = mem_new(uint32_t, t->nthreads);

	memset(name, 0xff, t->nthreads * sizeof *name);
	for (size_t i = 0; ok && i < n; i++) {
		uint32_t th = trace_thread_of(t, c[0].ints[i]);
		if (th != NONE && str_cmp(&t->names, c[1].keys[i], name[th]) > 0)
			name[th] = c[1].keys[i];
	}
	for (size_t i = 0; ok && i < t->nthreads; i++)
		if (t->threads[i].name == STR_NONE)
			t->threads[i].name = name[i];
	free(name);
	scan_free(c, 2);
	return ok;
}

static void find_comm(trace *t, const regex_t *rule)
{
	t->comm = mem_new(bool, t->names.n);
	for (size_t i = 0; i < t->work.n; i++)
		if (t->work.kind[i] == WORK_KERNEL)
			t->comm[t->work.name[i]] = true;   /* a kernel's name: judged below, once */
	for (size_t i = 0; i < t->names.n; i++)
		if (t->comm[i])
			t->comm[i] = rule ? pattern_matches(rule, t->names.text[i]) :
				strncasecmp(t->names.text[i], "nccl", 4) == 0;
}

typedef struct {
	trace *t;
	unsigned need;
	const void *comm;
	range_raw *ranges;
} build_job;

/* What does not touch what the others do: calls, work, ranges. */
static void build(void *ctx, size_t which)
{
	build_job *j = ctx;

	if (which == 0) {
		range_build(j->t, j->need, j->ranges);
	} else if (which == 1) {
		call_sort(j->t);
	} else {
		find_comm(j->t, j->comm);
		work_classify(j->t);
	}
}

bool load_trace(trace *t, unsigned need, const void *comm)
{
	work_raw work = { 0 };
	call_raw calls = { 0 };
	range_raw ranges = { 0 };
	dict processes = { 0 }, threads = { 0 };
	bool ok = work_scan(t, need, &work) && call_scan(t, need, &calls) && range_scan(t, need, &ranges);

	if (ok) {
		call_ids(&calls, &processes, &threads);
		range_ids(&ranges, &processes, &threads);
		work_ids(&work, &processes);
		number_processes(t, &processes, &threads);
		call_number(t, &calls);
		work_number(t, &work);
		range_span(t, &ranges);
		par_do(t->db->threads, 3, build, &(build_job){ t, need, comm, &ranges });
		range_raw_free(&ranges);
		if (need & TRACE_CALLS)
			join_calls(t);
		free(t->work.corr.small);
		free(t->work.corr.wide);
		t->work.corr = (trace_ids){ 0 };
		for (size_t i = 0; i < t->nprocs; i++) {
			trace_proc *p = &t->procs[i];
			if (p->events.a == p->events.b && p->events.b < INT64_MAX)
				p->events.b++;  /* marks of one moment, and nothing else */
			if (p->events.a < p->events.b)
				span_widen(&t->span, p->events.a, p->events.b);
			if (p->gpu.a < p->gpu.b)
				span_widen(&t->work_span, p->gpu.a, p->gpu.b);
		}
		ok = load_process_names(t) && (!(need & TRACE_RANGES) || load_thread_names(t));
	}
	work_raw_free(&work);
	call_raw_free(&calls);
	range_raw_free(&ranges);
	dict_free(&processes);
	dict_free(&threads);
	return ok;
}
