#include "trace/load_cpu.h"
#include "base/column.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/thread_events.h"
#include "trace/event_span.h"
#include "trace/global_id.h"
#include "trace/load_chains.h"

enum { START, END, TID, VALUE, COLS };

static const struct {
	const char *table;              /* name of the table */
	const char *what;               /* a word for its rows in messages */
	const char *end;                /* column with the end of an event; NULL: the events are moments */
	const char *value;              /* column with the name of a call, the state of a switch, or the id of a
					 * sample's call chain */
	unsigned need;                  /* flag (TRACE_...) that keeps the rows; without it, a table of MPI is not read,
					 * and another table is read only for its threads and spans (TRACE_CPU) */
} tables[CPU_ALL] = {
	[CPU_OS] = { "OSRT_API", "OS calls", "end", "nameId", TRACE_OS },
	[CPU_SWITCHES] = { "SCHED_EVENTS", "context switches", NULL, "isSchedIn", TRACE_SWITCHES },
	[CPU_SAMPLES] = { "COMPOSITE_EVENTS", "CPU samples", NULL, "id", TRACE_SAMPLES },
	[CPU_MPI] = { "MPI_COLLECTIVES_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_P2P_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_START_WAIT_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_OTHER_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
};

/* The rows that one worker reads of a table. */
struct cpu_part {
	rows_part rows;                 /* rows that are kept in cpu_raw.rows */
	group kinds;                    /* gives each kind of row a number; a kind is the global id of a thread and what
					 * load_cpu_value_of_row returns */
	vec(ival) span;                 /* by kind: span of its rows */
};

static struct cpu_part *load_cpu_part_at(const rows_parts *parts, size_t i)
{
	return rows_part_at(struct cpu_part, parts, i);
}

static int64_t load_cpu_thread_id(const struct cpu_part *p, size_t kind)
{
	return p->kinds.key[2 * kind];
}

static int64_t load_cpu_value_of_kind(const struct cpu_part *p, size_t kind)
{
	return p->kinds.key[2 * kind + 1];
}

static void load_cpu_free_part(void *which)
{
	struct cpu_part *p = which;

	group_free(&p->kinds);
	vec_free(&p->span);
}

typedef struct {
	int table;
	thread_events_rows *to;         /* where rows are kept; NULL: only their spans are needed */
	const trace_chains *chains;     /* call chains of samples, or NULL */
} load_cpu_ctx;

static void load_cpu_make_room(void *ctx, size_t n)
{
	const load_cpu_ctx *r = ctx;
	const column always[] = { COLUMN(r->to->start), COLUMN(r->to->kind) }, end = COLUMN(r->to->end);
	const column chain = COLUMN(r->to->chain);

	column_grow(always, 2, n);
	column_grow(&end, tables[r->table].end ? 1 : 0, n);
	column_grow(&chain, r->chains ? 1 : 0, n);
}

/* The part of a row's kind that is not its thread: for calls the id of the name, for switches 1 (on) or 0 (off), for
 * samples 0.  It is 0 for all rows if rows are not kept. */
static int64_t load_cpu_value_of_row(const load_cpu_ctx *r, const rows_batch *b, size_t i)
{
	return r->table == CPU_SAMPLES || !b->ints[VALUE] ? 0 :
		r->table == CPU_SWITCHES ? b->ints[VALUE][i] > 0 : b->ints[VALUE][i];
}

static void load_cpu_take_rows(void *ctx, void *to, const rows_batch *b)
{
	const load_cpu_ctx *r = ctx;
	struct cpu_part *p = to;
	size_t at = p->rows.first + p->rows.n;

	p->kinds.width = 2;
	for (size_t i = 0; i < b->n; i++, at++) {
		int64_t start = b->ints[START][i];
		int64_t end = b->ints[END] && b->ints[END][i] > start ? b->ints[END][i] : start;
		size_t kind = group_of_width(&p->kinds, 2,
					     (int64_t[]){ b->ints[TID][i], load_cpu_value_of_row(r, b, i) });
		if (kind == p->span.n)
			vec_push(&p->span, IVAL_NOWHERE);
		event_span_widen(&p->span.v[kind], start, end);
		if (!r->to)
			continue;
		r->to->start[at] = start;
		r->to->kind[at] = (uint32_t)kind;
		if (r->to->end)
			r->to->end[at] = end;
		if (r->chains)
			r->to->chain[at] = load_chains_find(r->chains, b->ints[VALUE][i]);
	}
	p->rows.n += r->to ? b->n : 0;
}

static bool load_cpu_read_table(trace *t, unsigned need, int table, cpu_raw *raw)
{
	bool keep = need & tables[table].need;
	rows_reader reader = { .part_size = sizeof(struct cpu_part),
			       .free_part = load_cpu_free_part,
			       .take = load_cpu_take_rows,
			       .room = load_cpu_make_room,
			       .kept = keep ? tables[table].what : NULL };
	load_cpu_ctx r = { table, keep ? &raw->rows[table < CPU_MPI ? table : CPU_MPI] : NULL,
		table == CPU_SAMPLES && need & TRACE_CHAINS ? &t->chains : NULL };
	bool needs_value = keep && (table != CPU_SAMPLES || r.chains);
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = tables[table].end, .null = -1 },
		[TID] = { .names = "globalTid", .null = -1 },
		[VALUE] = { .names = needs_value ? tables[table].value : NULL, .null = -1 },
	};

	for (int k = CPU_MPI; k < table; k++)           /* tables of MPI: append to raw->rows[CPU_MPI] */
		for (size_t i = 0; i < raw->parts[k].n; i++) {
			const rows_part *p = &load_cpu_part_at(&raw->parts[k], i)->rows;
			raw->parts[table].base = p->first + p->n;
		}
	return rows_read(t->db, db_find(t->db, tables[table].table), c, COLS, &reader, &r, t->workers,
			 &raw->parts[table]);
}

static bool load_cpu_find_names(trace *t, cpu_raw *raw, int table, int last)
{
	for (; table <= last; table++)
		for (size_t i = 0; i < raw->parts[table].n; i++) {
			const struct cpu_part *p = load_cpu_part_at(&raw->parts[table], i);
			for (size_t k = 0; k < p->kinds.n; k++)
				dict_key(&raw->names, load_cpu_value_of_kind(p, k));
		}
	free(raw->name);
	raw->name = trace_find_strings(t, &raw->names);
	return raw->name;
}

/* Compare global ids of threads in the order of trace.threads. */
static int load_cpu_compare_threads(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int order = global_order(global_process(a), global_process(b));

	return order ? order : sort_3way(global_tid(a), global_tid(b));
}

/* Collect the threads of a table in raw->threads[table] and sort them in place.  From then on this is only a sorted
 * list: dict_find does not work on it. */
static void load_cpu_find_threads(cpu_raw *raw, int table)
{
	dict *ids = &raw->threads[table];

	for (size_t i = 0; i < raw->parts[table].n; i++)
		for (size_t k = 0; k < load_cpu_part_at(&raw->parts[table], i)->kinds.n; k++)
			dict_key(ids, load_cpu_thread_id(load_cpu_part_at(&raw->parts[table], i), k));
	if (ids->n)
		qsort(ids->value, ids->n, sizeof *ids->value, load_cpu_compare_threads);
}

/* The index of a thread in raw->threads[table].  For tables of MPI: its index in trace.threads, or NONE if it has no
 * other events. */
static uint32_t load_cpu_thread_of(const trace *t, const cpu_raw *raw, int table, int64_t id)
{
	const dict *ids = &raw->threads[table < CPU_MPI ? table : 0];
	size_t i;

	if (table >= CPU_MPI)
		return trace_thread_of(t, id);
	search_first(i, 0, ids->n, load_cpu_compare_threads(&ids->value[i], &id) >= 0);
	return (uint32_t)i;
}

void load_cpu_add_ids(const cpu_raw *raw, dict *processes, dict *threads)
{
	for (int k = 0; k < CPU_TABLES; k++)
		for (size_t i = 0; i < raw->parts[k].n; i++)
			for (size_t j = 0; j < load_cpu_part_at(&raw->parts[k], i)->kinds.n; j++) {
				int64_t id = load_cpu_thread_id(load_cpu_part_at(&raw->parts[k], i), j);
				dict_key(processes, global_process(id));
				dict_key(threads, id);
			}
}

/* The thread and the name (for switches, 1 or 0) that the rows of a kind have in common. */
static thread_events_kind load_cpu_kind_of(const trace *t, const cpu_raw *raw, int table, const struct cpu_part *p,
					   size_t kind)
{
	uint32_t name = table == CPU_SAMPLES ? STR_NONE :
		table == CPU_SWITCHES	     ? (uint32_t)load_cpu_value_of_kind(p, kind) :
					       raw->name[dict_find(&raw->names, load_cpu_value_of_kind(p, kind))];

	return (thread_events_kind){ load_cpu_thread_of(t, raw, table, load_cpu_thread_id(p, kind)), name };
}

/* The events of the tables from `table` to `last`, sorted.  Their rows are freed.  `margin` elements are left free
 * before the events of each thread, and after them (thread_events_source). */
static trace_thread_events load_cpu_sort_events(const trace *t, cpu_raw *raw, int table, int last, size_t margin)
{
	vec(thread_events_part) parts = { 0 };
	thread_events_source from = { .names = table == CPU_SWITCHES ? NULL : &t->names, .margin = margin,
		.nthreads = table < CPU_MPI ? raw->threads[table].n : t->nthreads };
	trace_thread_events all;

	for (int k = table; k <= last; k++)
		for (size_t i = 0; i < raw->parts[k].n; i++) {
			const struct cpu_part *p = load_cpu_part_at(&raw->parts[k], i);
			thread_events_part to = { p->rows.first, p->rows.n, mem_new(thread_events_kind, p->kinds.n) };
			for (size_t j = 0; j < p->kinds.n; j++)
				to.kinds[j] = load_cpu_kind_of(t, raw, k, p, j);
			vec_push(&parts, to);
		}
	from.parts = parts.v;
	from.nparts = parts.n;
	all = thread_events_order(&raw->rows[table], &from);
	for (size_t i = 0; i < parts.n; i++)
		free(parts.v[i].kinds);
	vec_free(&parts);
	return all;
}

/* Build trace.mpi.  MPI calls widen the spans of processes only with TRACE_MPI_SPAN. */
static void load_cpu_build_mpi(trace *t, unsigned need, cpu_raw *raw)
{
	const trace_ranges *r = &t->pushpop;
	const trace_thread_events *m = &t->mpi;
	thread_events_list list = { 0 };

	for (size_t i = 0; !t->has_mpi && i < r->n; i++)
		if (t->domains[ranges_domain(r, i)].mpi)
			thread_events_add(&list, ranges_thread(r, i), r->start[i], r->end[i], r->name[i]);
	t->mpi = t->has_mpi ? load_cpu_sort_events(t, raw, CPU_MPI, CPU_ALL - 1, 0) :
		thread_events_take_list(&list, &t->names, t->nthreads);
	for (size_t th = 0; need & TRACE_MPI_SPAN && th < t->nthreads; th++)
		for (size_t i = m->first[th]; i < m->first[th + 1]; i++)
			event_span_widen(&t->procs[t->threads[th].proc].events, m->start[i], thread_events_end(m, i));
}

/* Turn the context switches of a thread into stretches of running and of waiting.  It runs from a switch onto a CPU to
 * the next switch off it, and then waits until it is switched on again.  If its first switch is off, it ran from the
 * start of its process to that switch; if its last one is on, it runs from there to the end of its process.  Until
 * processes have spans, TRACE_UNKNOWN stands for the start and the end of a process.  The result, moments at which the
 * thread alternately begins to run and to wait (trace_stretches), overwrites the switches in s->start, which has one
 * free element before and one after the switches of each thread. */
static void load_cpu_build_stretches(const trace_thread_events *s, const trace_stretches *to, size_t thread)
{
	size_t first = s->first[thread] + 1, end = s->first[thread + 1] - 1, next = first;
	uint32_t state = 1;

	to->first[thread] = first;
	for (size_t i = first; i < end; i++) {
		int64_t now = s->start[i];
		uint32_t on = s->name[i];
		/* of two switches at one moment, the one that changes the state counts as the earlier one */
		if (i + 1 < end && s->start[i + 1] == now && on == state) {
			on = s->name[i + 1];
			s->name[i + 1] = state;
		}
		if (i == first && !on)
			s->start[--to->first[thread]] = TRACE_UNKNOWN;
		if (i == first || on != state)
			s->start[next++] = now;
		state = on;
	}
	if (state && end > first)
		s->start[next++] = TRACE_UNKNOWN;
	to->end[thread] = next;
}

static trace_stretches load_cpu_stretches_of(trace_thread_events switches, size_t nthreads)
{
	trace_stretches s = { switches.start, mem_new(size_t, nthreads), mem_new(size_t, nthreads) };

	for (size_t th = 0; th < nthreads; th++)
		load_cpu_build_stretches(&switches, &s, th);
	switches.start = NULL;
	thread_events_free(&switches);
	return s;
}

/* Sort a table right after it is read, so that only one table at a time is in memory twice. */
static bool load_cpu_order_table(trace *t, int table, cpu_raw *raw)
{
	load_cpu_find_threads(raw, table);
	if (table == CPU_OS && !load_cpu_find_names(t, raw, CPU_OS, CPU_OS))
		return false;
	if (table == CPU_OS)
		t->os = load_cpu_sort_events(t, raw, table, table, 0);
	else if (table == CPU_SWITCHES)
		t->stretches = load_cpu_stretches_of(load_cpu_sort_events(t, raw, table, table, 1),
						     raw->threads[table].n);
	else
		t->samples = load_cpu_sort_events(t, raw, table, table, 0);
	return true;
}

bool load_cpu(trace *t, unsigned need, cpu_raw *raw)
{
	if (need & TRACE_CHAINS && !load_chains(t, "SAMPLING_CALLCHAINS", CHAINS_BY_MODULE, &t->chains))
		return false;
	for (int k = 0; k < CPU_ALL; k++)
		if ((need & (k < CPU_TABLES ? TRACE_CPU : TRACE_MPI) && !load_cpu_read_table(t, need, k, raw)) ||
		    (k < CPU_TABLES && need & tables[k].need && !load_cpu_order_table(t, k, raw)))
			return false;
	free(t->chains.id);
	t->chains.id = NULL;
	return !(need & TRACE_MPI) || load_cpu_find_names(t, raw, CPU_MPI, CPU_ALL - 1);
}

/* An array with an element for each thread in raw->threads[table]: its index in trace.threads.  The caller frees it. */
static uint32_t *load_cpu_threads_of(const trace *t, const cpu_raw *raw, int table)
{
	uint32_t *thread = mem_new(uint32_t, raw->threads[table].n);

	for (size_t i = 0; i < raw->threads[table].n; i++)
		thread[i] = trace_thread_of(t, raw->threads[table].value[i]);
	return thread;
}

static void load_cpu_renumber_threads(const trace *t, const cpu_raw *raw, int table, trace_thread_events *a)
{
	uint32_t *thread = load_cpu_threads_of(t, raw, table);

	thread_events_renumber(a, thread, raw->threads[table].n, t->nthreads);
	free(thread);
}

/* Renumber the threads of stretches from raw->threads to trace.threads.  Moments that are TRACE_UNKNOWN become the
 * start or end of the process's span, which is known now. */
static void load_cpu_renumber_stretches(trace *t, const cpu_raw *raw)
{
	uint32_t *thread = load_cpu_threads_of(t, raw, CPU_SWITCHES);
	trace_stretches *s = &t->stretches, all = { s->at, mem_new(size_t, t->nthreads), mem_new(size_t, t->nthreads) };

	for (size_t i = 0; i < raw->threads[CPU_SWITCHES].n; i++) {
		size_t first = all.first[thread[i]] = s->first[i], end = all.end[thread[i]] = s->end[i];
		ival events = t->procs[t->threads[thread[i]].proc].events;
		if (first < end && s->at[first] == TRACE_UNKNOWN)
			s->at[first] = events.a;
		if (first < end && s->at[end - 1] == TRACE_UNKNOWN)
			s->at[end - 1] = events.b;
	}
	mem_free(s->first, s->end, thread);
	*s = all;
}

static void load_cpu_widen_span(trace *t, const struct cpu_part *p)
{
	for (size_t i = 0; i < p->kinds.n; i++)
		trace_widen_process(t, load_cpu_thread_id(p, i), p->span.v[i], false);
}

void load_cpu_build(trace *t, unsigned need, cpu_raw *raw)
{
	for (int k = 0; k < CPU_TABLES; k++)
		for (size_t i = 0; i < raw->parts[k].n; i++)
			load_cpu_widen_span(t, load_cpu_part_at(&raw->parts[k], i));
	if (need & TRACE_MPI)
		load_cpu_build_mpi(t, need, raw);
	if (need & TRACE_OS)
		load_cpu_renumber_threads(t, raw, CPU_OS, &t->os);
	if (need & TRACE_SAMPLES)
		load_cpu_renumber_threads(t, raw, CPU_SAMPLES, &t->samples);
	if (need & TRACE_SWITCHES)
		load_cpu_renumber_stretches(t, raw);
}

void load_cpu_free(cpu_raw *raw)
{
	for (int k = 0; k < CPU_ALL; k++)
		rows_parts_free(&raw->parts[k]);
	for (int k = 0; k <= CPU_MPI; k++)
		mem_free(raw->rows[k].start, raw->rows[k].end, raw->rows[k].kind, raw->rows[k].chain);
	for (int k = 0; k < CPU_TABLES; k++)
		dict_free(&raw->threads[k]);
	dict_free(&raw->names);
	free(raw->name);
}
