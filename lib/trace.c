#include "trace.h"
#include "call.h"
#include "err.h"
#include "mem.h"
#include "par.h"
#include "pattern.h"
#include "range.h"
#include "sort.h"
#include "work.h"

#include <string.h>
#include <strings.h>

static const ival nowhere = { INT64_MAX, INT64_MIN };

trace *trace_open(const char *path, int threads)
{
	trace *t;
	db *d = db_open(path, threads);

	if (!d)
		return NULL;
	t = mem_new(trace, 1);
	t->path = path;
	t->db = d;
	t->span = t->work_span = nowhere;
	for (int i = 0; i < d->ntables; i++) {
		t->has_cuda |= strncmp(d->tables[i].name, "CUPTI_ACTIVITY_KIND_", 20) == 0;
		t->has_nvtx |= strncmp(d->tables[i].name, "NVTX_EVENTS", 11) == 0;
	}
	return t;
}

uint32_t trace_proc_of(const trace *t, int64_t global_id)
{
	int64_t id = global_id >> 24;

	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].id == id)
			return (uint32_t)i;
	return NONE;
}

uint32_t trace_pid(const trace *t, int64_t pid)
{
	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].pid == pid)
			return (uint32_t)i;
	return NONE;
}

uint32_t trace_thread_of(const trace *t, int64_t global_tid)
{
	uint32_t proc = trace_proc_of(t, global_tid);
	int64_t tid = global_tid & 0xffffff;
	size_t lo = 0, hi = t->nthreads;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const trace_thread *th = &t->threads[mid];
		if (th->proc < proc || (th->proc == proc && th->tid < tid))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->nthreads && t->threads[lo].proc == proc && t->threads[lo].tid == tid ?
		(uint32_t)lo : NONE;
}

int64_t *trace_reach(const int64_t *end, size_t n)
{
	int64_t *reach = mem_new(int64_t, n / REACH_BLOCK + 1), latest = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		latest = end[i] > latest ? end[i] : latest;
		reach[i / REACH_BLOCK] = latest;
	}
	return reach;
}

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

/* The table of strings: StringIds, or any other of just an id and a value. */
static const db_table *strings_table(const db *d)
{
	const db_table *t = db_find(d, "StringIds");

	for (int i = 0; !t && i < d->ntables; i++)
		if (d->tables[i].ncolumns == 2 && db_column(&d->tables[i], "id") >= 0 &&
		    db_column(&d->tables[i], "value") >= 0)
			t = &d->tables[i];
	return t;
}

bool trace_names(trace *t, scan_col *col, size_t n)
{
	const db_table *strings = strings_table(t->db);
	uint32_t *name = mem_new(uint32_t, col->dict.n);
	bool ok = true;

	memset(name, 0xff, col->dict.n * sizeof *name);
	if (strings && col->found && strings->key >= 0 &&
	    strings->key == db_column(strings, "id")) {
		/* the id is the row id: look up each distinct one */
		sqlite3_stmt *s = NULL;
		char *q = db_query("SELECT value FROM \"%w\" WHERE id = ?1", strings->name);
		ok = sqlite3_prepare_v2(t->db->sql, q, -1, &s, NULL) == SQLITE_OK;
		for (size_t i = 0; ok && i < col->dict.n; i++) {
			int rc;
			sqlite3_bind_int64(s, 1, col->dict.value[i]);
			rc = sqlite3_step(s);
			const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
			if (text)
				name[i] = str_id(&t->names, text, strlen(text));
			ok = rc == SQLITE_ROW || rc == SQLITE_DONE;
			if (ok)
				sqlite3_reset(s);
		}
		if (!ok)
			db_damaged(t->db, strings->name, sqlite3_errmsg(t->db->sql));
		sqlite3_finalize(s);
		sqlite3_free(q);
	} else if (strings && col->found) {
		scan_col c[] = { { .names = "id", .type = SCAN_INT }, { .names = "value", .type = SCAN_TEXT } };
		size_t rows;
		ok = scan_table(t->db, strings, c, 2, &t->names, &rows);
		for (size_t i = 0; ok && i < rows; i++) {
			uint32_t k = dict_find(&col->dict, c[0].ints[i]);
			if (k != DICT_NONE)
				name[k] = c[1].keys[i];
		}
		scan_free(c, 2);
	}
	for (size_t i = 0; ok && i < n; i++)
		col->keys[i] = name[col->keys[i]];
	free(name);
	return ok;
}

void trace_widen(trace *t, int64_t global_id, ival span, bool gpu)
{
	uint32_t p = trace_proc_of(t, global_id);

	if (p == NONE || span.a >= span.b)
		return;
	scan_widen(&t->procs[p].events, span.a, span.b);
	if (gpu)
		scan_widen(&t->procs[p].gpu, span.a, span.b);
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

bool trace_load(trace *t, unsigned need, const void *comm)
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
			call_join(t);
		free(t->work.corr.small);
		free(t->work.corr.wide);
		t->work.corr = (trace_ids){ 0 };
		for (size_t i = 0; i < t->nprocs; i++) {
			const trace_proc *p = &t->procs[i];
			if (p->events.a < p->events.b)
				scan_widen(&t->span, p->events.a, p->events.b);
			if (p->gpu.a < p->gpu.b)
				scan_widen(&t->work_span, p->gpu.a, p->gpu.b);
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

static void free_ranges(trace_ranges *r)
{
	free(r->start);
	free(r->end);
	free(r->thread);
	free(r->name);
	free(r->domain);
}

void trace_free(trace *t)
{
	trace_work *w = &t->work;
	trace_calls *c = &t->calls;
	void *all[] = { w->start, w->end, w->corr.small, w->corr.wide, w->stream, w->name, w->full, w->launch, w->bytes,
		w->copy_kind, w->src_kind, w->dst_kind, w->kind, c->start, c->end, c->corr.small, c->corr.wide, c->thread,
		c->name, c->class, c->reach, t->procs, t->threads, t->streams, t->lanes, t->domains, t->comm };

	for (size_t i = 0; i < t->nlanes; i++)
		free(t->lanes[i].reach);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	free_ranges(&t->pushpop);
	free_ranges(&t->startend);
	str_free(&t->names);
	db_close(t->db);
	free(t);
}
