#include "trace/trace.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/thread_events.h"
#include "trace/global_id.h"

#include <string.h>

struct trace_kept {
	struct trace_kept *next;
	trace_make *make;
	int64_t which;
	pthread_mutex_t making;         /* locked while the value is made; each value has its own, so that several can
					 * be made at the same time */
	void *made;
	void (*drop)(void *made);
};

/* Find the entry of a value, or NULL.  Entries are only added, and at the front of the list, so readers need no
 * lock. */
static struct trace_kept *trace_find_kept(const trace *t, trace_make *make, int64_t which)
{
	struct trace_kept *k = __atomic_load_n(&t->kept, __ATOMIC_ACQUIRE);

	while (k && (k->make != make || k->which != which))
		k = k->next;
	return k;
}

/* Find the entry of a value, or add one. */
static struct trace_kept *trace_find_or_add_kept(trace *t, trace_make *make, int64_t which, void (*drop)(void *made))
{
	struct trace_kept *k;

	pthread_mutex_lock(&t->keeping);
	k = trace_find_kept(t, make, which);
	if (!k) {
		k = mem_new(struct trace_kept, 1);
		*k = (struct trace_kept){ .next = t->kept, .make = make, .which = which, .drop = drop };
		pthread_mutex_init(&k->making, NULL);
		__atomic_store_n(&t->kept, k, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&t->keeping);
	return k;
}

void *trace_keep(trace *t, trace_make *make, int64_t which, void (*drop)(void *made))
{
	struct trace_kept *k = trace_find_kept(t, make, which);
	void *made = k ? __atomic_load_n(&k->made, __ATOMIC_ACQUIRE) : NULL;

	if (made)
		return made;
	k = trace_find_or_add_kept(t, make, which, drop);
	pthread_mutex_lock(&k->making);
	if (!k->made)
		__atomic_store_n(&k->made, make(t, which), __ATOMIC_RELEASE);
	pthread_mutex_unlock(&k->making);
	return k->made;
}

static void trace_release_kept(trace *t)
{
	for (struct trace_kept *k = t->kept, *next; k; k = next) {
		next = k->next;
		if (k->made)
			k->drop(k->made);
		pthread_mutex_destroy(&k->making);
		free(k);
	}
	pthread_mutex_destroy(&t->keeping);
}

trace *trace_open(const char *path, int threads, notes *say)
{
	trace *t;
	db *d = db_open(path, say);

	if (!d)
		return NULL;
	t = mem_new(trace, 1);
	t->path = arena_copy(&t->texts, path);
	t->db = d;
	t->workers = threads;
	t->say = say;
	pthread_mutex_init(&t->keeping, NULL);
	t->span = t->work_span = t->cuda_nvtx_span = IVAL_NOWHERE;
	for (int i = 0; i < d->ntables; i++) {
		t->has_cuda |= strncmp(d->tables[i].name, "CUPTI_ACTIVITY_KIND_", 20) == 0;
		t->has_nvtx |= strncmp(d->tables[i].name, "NVTX_EVENTS", 11) == 0;
		t->has_mpi |= strncmp(d->tables[i].name, "MPI_", 4) == 0 && strstr(d->tables[i].name, "_EVENTS");
	}
	t->has_os = db_find(d, "OSRT_API");
	t->has_switches = db_find(d, "SCHED_EVENTS");
	t->has_samples = db_find(d, "COMPOSITE_EVENTS");
	return t;
}

uint32_t trace_proc_of(const trace *t, int64_t global_id)
{
	int64_t id = global_process(global_id);
	size_t i;

	search_first(i, 0, t->nprocs, global_order(t->procs[i].id, id) >= 0);
	return i < t->nprocs && t->procs[i].id == id ? (uint32_t)i : NONE;
}

bool trace_is_process(const trace *t, uint32_t proc, int64_t pid, int64_t sub)
{
	const trace_proc *p = &t->procs[proc];

	return p->pid == pid && (sub == -1 || global_sub(p->id) == sub);
}

bool trace_has_gpu(const trace *t, int64_t gpu)
{
	for (size_t l = 0; l < t->nlanes; l++)
		if (t->lanes[l].gpu == gpu)
			return true;
	for (size_t i = 0; i < t->nmetrics; i++)
		if (t->metrics[i].gpu == gpu)
			return true;
	return false;
}

/* Among items sorted by process, find the items of process `wanted`; NONE: of all processes.  Sets `first` to the index
 * of the first item, and `after` to the index after the last one. */
#define FIND_ITEMS(items, n, wanted, first, after) do { \
	search_first(first, 0, wanted == NONE ? 0 : (n), (items)[first].proc >= wanted); \
	search_first(after, first, n, wanted != NONE && (items)[after].proc > wanted); \
} while (0)

size_t trace_find_lanes(const trace *t, uint32_t proc, size_t *end)
{
	size_t first;

	FIND_ITEMS(t->lanes, t->nlanes, proc, first, *end);
	return first;
}

size_t trace_find_streams(const trace *t, uint32_t proc, size_t *end)
{
	size_t first;

	FIND_ITEMS(t->streams, t->nstreams, proc, first, *end);
	return first;
}

uint32_t trace_find_threads(const trace *t, uint32_t proc, uint32_t *end)
{
	size_t first, after;

	FIND_ITEMS(t->threads, t->nthreads, proc, first, after);
	*end = (uint32_t)after;
	return (uint32_t)first;
}

bool trace_has_launches(const trace *t)
{
	const db_table *calls = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");

	for (size_t i = 0; calls && db_column(calls, "correlationId") >= 0 && i < t->nprocs; i++)
		if (t->procs[i].calls)
			return true;
	return false;
}

uint32_t trace_thread_of(const trace *t, int64_t id)
{
	uint32_t proc = trace_proc_of(t, id);
	int64_t tid = global_tid(id);
	const trace_thread *th = t->threads;
	size_t i;

	search_first(i, 0, t->nthreads, th[i].proc > proc || (th[i].proc == proc && th[i].tid >= tid));
	return i < t->nthreads && th[i].proc == proc && th[i].tid == tid ? (uint32_t)i : NONE;
}

trace_reach trace_reach_build(const int64_t *end, size_t n)
{
	size_t blocks = (n + REACH_BLOCK - 1) / REACH_BLOCK;
	trace_reach r = { .leaves = 1 };

	while (r.leaves <= blocks)
		r.leaves *= 2;
	r.latest = mem_new(int64_t, 2 * r.leaves);
	for (size_t b = 0; b < r.leaves; b++) {
		int64_t latest = INT64_MIN;
		for (size_t i = b * REACH_BLOCK; i < n && i < (b + 1) * REACH_BLOCK; i++)
			latest = ns_max(latest, end[i]);
		r.latest[r.leaves + b] = latest;
	}
	for (size_t i = r.leaves; --i;)
		r.latest[i] = ns_max(r.latest[2 * i], r.latest[2 * i + 1]);
	return r;
}

/* While all events of a node end before the moment, the search goes on to the next node: the largest one whose blocks
 * follow those of this node.  In a node that reaches the moment, it goes down to the first block that does. */
size_t trace_reach_find_from(const trace_reach *r, size_t block, int64_t moment)
{
	size_t i = r->leaves + block;

	while (r->latest[i] < moment) {
		while (i & 1)
			i /= 2;
		if (!i)
			return SIZE_MAX;
		i++;
	}
	while (i < r->leaves) {
		i *= 2;
		i += r->latest[i] < moment;
	}
	return i - r->leaves;
}

size_t trace_reach_find_before(const trace_reach *r, size_t block, int64_t moment)
{
	size_t i = r->leaves + block;

	do {
		while (!(i & 1))
			i /= 2;
		if (i-- == 1)
			return SIZE_MAX;
	} while (r->latest[i] <= moment);
	while (i < r->leaves) {
		i = 2 * i + 1;
		i -= r->latest[i] <= moment;
	}
	return i - r->leaves;
}

int64_t trace_reach_latest_before(const trace_reach *r, size_t block)
{
	int64_t latest = INT64_MIN;

	for (size_t i = r->leaves + block; i > 1; i /= 2)
		if (i & 1)
			latest = ns_max(latest, r->latest[i - 1]);
	return latest;
}

uint32_t *trace_group_calls(const trace *t, size_t *first)
{
	uint32_t *thread = mem_new(uint32_t, t->calls.nkinds), *sorted;

	for (size_t i = 0; i < t->calls.nkinds; i++)
		thread[i] = t->calls.kinds[i].thread;
	sorted = sort_groups_of(t->calls.kind, thread, t->calls.n, t->nthreads, first);
	free(thread);
	return sorted;
}

const db_table *trace_strings_table(const db *d)
{
	const db_table *t = db_find(d, "StringIds");

	for (int i = 0; !t && i < d->ntables; i++) {
		const db_table *in = db_table_at(d, i);
		t = in->ncolumns == 2 && db_column(in, "id") >= 0 && db_column(in, "value") >= 0 ? in : NULL;
	}
	return t;
}

typedef struct {
	trace *t;
	const dict *ids;
	uint32_t *name;         /* name[k]: the string with the id ids->value[k] */
} string_ids;

static void trace_take_string(sqlite3_stmt *s, void *ctx)
{
	string_ids *l = ctx;
	uint32_t k = dict_find(l->ids, sqlite3_column_int64(s, 0));
	const char *text = k == DICT_NONE ? NULL : (const char *)sqlite3_column_text(s, 1);

	if (text)
		l->name[k] = str_id(&l->t->names, text, strlen(text));
}

uint32_t *trace_find_strings(trace *t, const dict *ids)
{
	const db_table *strings = ids->n ? trace_strings_table(t->db) : NULL;
	uint32_t *name = mem_none(uint32_t, ids->n);
	bool ok = true;

	if (strings && strings->key >= 0 && strings->key == db_column(strings, "id")) {
		/* the table is keyed by id, so each id is looked up by itself */
		sqlite3_stmt *s = NULL;
		char *q = db_format_query("SELECT value FROM \"%w\" WHERE id = ?1", strings->name);
		int rc;
		db_begin_walk(t->db);
		rc = sqlite3_prepare_v2(t->db->sql, q, -1, &s, NULL);
		ok = rc == SQLITE_OK;
		for (size_t i = 0; ok && i < ids->n; i++) {
			sqlite3_bind_int64(s, 1, ids->value[i]);
			rc = sqlite3_step(s);
			const char *text = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
			if (text)
				name[i] = str_id(&t->names, text, strlen(text));
			ok = (rc == SQLITE_ROW && db_walk_count_row(t->db, s)) || rc == SQLITE_DONE;
			if (ok)
				sqlite3_reset(s);
		}
		if (!ok)
			db_report_failed_walk(t->db, t->db->sql, rc, strings->name);
		sqlite3_finalize(s);
		sqlite3_free(q);
	} else if (strings && db_column(strings, "id") >= 0 && db_column(strings, "value") >= 0) {
		ok = db_each(t->db, trace_take_string, &(string_ids){ t, ids, name },
			     "SELECT id, value FROM \"%w\"", strings->name);
	}
	if (ok)
		return name;
	free(name);
	return NULL;
}

void trace_widen_process(trace *t, int64_t global_id, ival span, bool gpu)
{
	uint32_t p = trace_proc_of(t, global_id);
	ival *to[] = { p == NONE ? NULL : &t->procs[p].events, p == NONE || !gpu ? NULL : &t->procs[p].gpu };

	for (int i = 0; i < 2; i++)
		if (to[i] && span.a <= span.b)
			*to[i] = (ival){ span.a < to[i]->a ? span.a : to[i]->a, span.b > to[i]->b ? span.b : to[i]->b };
}

static void trace_free_ranges(trace_ranges *r)
{
	mem_free(r->start, r->end, r->name, r->kind);
}

static void trace_free_chains(trace_chains *c)
{
	mem_free(c->first, c->function, c->name, c->module, c->nameless, c->id);
}

static void trace_free_metrics(trace *t)
{
	for (size_t i = t->nmetrics; i-- > 0;) {
		trace_metric *m = &t->metrics[i];
		if (m->first == i || m->time != t->metrics[m->first].time)
			free(m->time);
		free(m->value);
	}
	free(t->metrics);
}

void trace_free(trace *t)
{
	trace_work *w = &t->work;
	trace_calls *c = &t->calls;
	trace_thread_events *events[] = { &t->marks, &t->os, &t->mpi, &t->samples };

	trace_release_kept(t);
	for (size_t i = 0; i < t->nlanes; i++)
		free(t->lanes[i].reach.latest);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		thread_events_free(events[i]);
	mem_free(w->start, w->end, w->corr, w->stream, w->type, w->types.v, w->launch, w->bytes, w->node, w->capture,
		 w->copy_kind, w->src_kind, w->dst_kind, w->kind, c->start, c->end, c->kind, c->kinds, c->chain,
		 c->reach.latest, t->captures.at, t->captures.thread, t->procs, t->threads, t->streams, t->lanes,
		 t->domains, t->range_kinds.v, t->comm, t->syncs.call, t->syncs.place, t->syncs.places, t->syncs.event,
		 t->syncs.id, t->syncs.record, t->payloads.v, t->stretches.at, t->stretches.first, t->stretches.end);
	trace_free_ranges(&t->pushpop);
	trace_free_ranges(&t->startend);
	trace_free_metrics(t);
	trace_free_chains(&t->chains);
	trace_free_chains(&t->call_chains);
	str_free(&t->names);
	arena_free(&t->texts);
	db_close(t->db);
	free(t);
}

int trace_compare_starts(uint32_t a, uint32_t b, const void *w)
{
	const int64_t *start = ((const trace_work *)w)->start;

	return start[a] != start[b] ? sort_3way(start[a], start[b]) : sort_3way(a, b);
}
