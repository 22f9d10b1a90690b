#include "trace/order_calls.h"
#include "base/column.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/thread_events.h"
#include "trace/call_class.h"
#include "trace/load_chains.h"

#include <string.h>

enum { COLUMNS = 4 };

/* List the arrays of calls (base/column.h).  Arrays that are not needed are NULL. */
static void order_calls_list_columns(trace *t, calls_raw *raw, column *c)
{
	trace_calls *to = &t->calls;
	const column all[COLUMNS] = { COLUMN(to->start), COLUMN(to->end), COLUMN(to->kind), COLUMN(raw->corr) };

	memcpy(c, all, sizeof all);
}

static bool order_calls_loads_code(const char *call)
{
	return strncasecmp(call, "cu", 2) == 0 && (strcasestr(call, "ModuleLoad") || strcasestr(call, "LibraryLoad"));
}

/* Should a call of this name launch, copy, set or wait for work?  Only such calls count as failed (trace_failed).
 * Allocations are not among them, because programs try them again. */
static bool order_calls_is_about_work(const char *call, enum call_class class)
{
	return class == CALL_LAUNCH || class == CALL_SYNC || strstr(call, "Memcpy") || strstr(call, "Memset");
}

typedef struct {                /* what the name of a call tells */
	uint8_t class;          /* enum call_class */
	bool loads;             /* it loads a module or a library */
	bool about_work;        /* order_calls_is_about_work */
	bool launches_work;     /* call_launches_work */
} meaning;

/* Returns an array with an element for each key of raw->names: the meaning of the name.  The caller frees it.  Each
 * meaning is found only once, because many threads make the same calls. */
static meaning *order_calls_find_meanings(const trace *t, const calls_raw *raw)
{
	meaning *meanings = mem_new(meaning, raw->names.n);

	for (size_t i = 0; i < raw->names.n; i++) {
		const char *name = str_at(&t->names, raw->name[i]);
		enum call_class class = name ? call_class(name) : CALL_OTHER;
		meanings[i] = (meaning){ (uint8_t) class, name && order_calls_loads_code(name),
					 name && order_calls_is_about_work(name, class),
					 name && call_launches_work(name) };
	}
	return meanings;
}

static void order_calls_count_failed(trace_failed *to, const calls_of_pair *pair, uint32_t name, bool launches_work)
{
	if (pair->failed && (!to->calls || pair->failed_at < to->at))
		to->at = pair->failed_at, to->name = name, to->returned = pair->returned;
	to->calls += pair->failed;
	to->launches += launches_work ? pair->failed : 0;
}

/* Each pair of a thread and a name in a part becomes a kind of call (trace.calls.kinds).  Set p->kind, an array with an
 * element for each pair: the index of its kind.  Add the counts and spans of the pairs (calls_of_pair) to their threads
 * and processes. */
static void order_calls_count_calls(trace *t, const calls_raw *raw, const meaning *by_name, calls_part *p, group *kinds)
{
	p->kind = mem_new(uint32_t, p->pairs_of.n);
	t->calls.kinds = mem_grow(t->calls.kinds, kinds->n + p->pairs_of.n, sizeof *t->calls.kinds);
	for (size_t i = 0; i < p->pairs_of.n; i++) {
		const calls_of_pair *pair = &p->pairs_of.v[i];
		uint32_t thread = trace_thread_of(t, pair->thread), name = raw->name[p->name[i]];
		meaning is = by_name[p->name[i]];
		trace_proc *proc = &t->procs[t->threads[thread].proc];
		p->kind[i] = (uint32_t)group_of(kinds, (int64_t[]){ thread, name });
		t->calls.kinds[p->kind[i]] = (trace_call_kind){ thread, name, is.class };
		proc->calls = true;
		trace_widen_process(t, pair->thread, pair->span, false);
		t->threads[thread].calls += pair->calls;
		if (is.launches_work)
			proc->launches += pair->calls;
		if (is.about_work)
			order_calls_count_failed(&proc->failed, pair, name, is.launches_work);
		if (is.loads)
			proc->loads = ns_max(proc->loads, pair->last);
	}
	t->calls.nkinds = kinds->n;
}

void order_calls_number(trace *t, calls_raw *raw)
{
	group kinds = { .width = 2 };
	meaning *by_name = order_calls_find_meanings(t, raw);
	column c[COLUMNS];

	for (size_t i = 0; i < raw->parts.n; i++) {
		calls_part *p = calls_part_at(raw, i);
		order_calls_count_calls(t, raw, by_name, p, &kinds);
		for (size_t k = p->rows.first; k < p->rows.first + p->rows.n; k++)
			t->calls.kind[k] = p->kind[t->calls.kind[k]];
	}
	order_calls_list_columns(t, raw, c);
	t->calls.n = rows_close_gaps(&raw->parts, c, COLUMNS);
	column_shrink(c, COLUMNS, t->calls.n);
	group_free(&kinds);
	free(by_name);
}

typedef struct {
	trace *t;
	calls_raw *raw;
	column columns[COLUMNS];
} order_ctx;

static int order_calls_compare_times(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *o = ctx;
	const trace_calls *c = &o->t->calls;
	const trace_call_kind *x = &c->kinds[c->kind[a]], *y = &c->kinds[c->kind[b]];
	const int64_t *id = o->raw->corr;

	if (c->start[a] != c->start[b])
		return sort_3way(c->start[a], c->start[b]);
	if (c->end[a] != c->end[b])     /* the outer call first */
		return -sort_3way(c->end[a], c->end[b]);
	if (x->thread != y->thread)
		return sort_3way(x->thread, y->thread);
	if (x->class != y->class)
		return sort_3way(x->class, y->class);
	if (x->name != y->name)
		return str_cmp(&o->t->names, x->name, y->name);
	return id ? sort_3way(id[a], id[b]) : 0;
}

static void order_calls_swap_rows(uint32_t a, uint32_t b, void *ctx)
{
	order_ctx *o = ctx;

	column_swap(o->columns, COLUMNS, a, b);
}

/* Find the chain of each call.  Chains stand in rows of their own (CALLS_BACKTRACE).  Take the last such row on the
 * call's thread that starts no later than the call.  If the row ends no earlier than the call, its chain is that of the
 * call; otherwise the call has none. */
static void order_calls_find_chains(trace *t, const calls_raw *raw)
{
	trace_calls *c = &t->calls;
	thread_events_list list = { 0 };        /* the rows with a chain; `name` is the index of the chain.  In
						 * chain_rows, `thread` is an index of pairs_of */
	trace_thread_events rows;
	size_t *started = mem_new(size_t, t->nthreads);         /* by thread: how many of its rows have started */

	for (size_t k = 0; k < raw->parts.n; k++) {
		const calls_part *p = calls_part_at(raw, k);
		for (size_t i = 0; i < p->chain_rows.n; i++) {
			thread_events_kind kind = p->chain_rows.kinds.v[p->chain_rows.rows.kind[i]];
			thread_events_add(&list, trace_thread_of(t, p->pairs_of.v[kind.thread].thread),
					  p->chain_rows.rows.start[i], p->chain_rows.rows.end[i],
					  load_chains_find(&t->call_chains, kind.name));
		}
	}
	rows = thread_events_take_list(&list, NULL, t->nthreads);
	c->chain = rows.n ? mem_grow(NULL, c->n, sizeof *c->chain) : NULL;
	for (size_t i = 0; rows.n && i < c->n; i++) {
		uint32_t thread = calls_thread(c, i);
		size_t *n = &started[thread], first = rows.first[thread], end = rows.first[thread + 1];
		while (first + *n < end && rows.start[first + *n] <= c->start[i])
			++*n;
		c->chain[i] = *n && thread_events_end(&rows, first + *n - 1) >= c->end[i] ?
			rows.name[first + *n - 1] : NONE;
	}
	thread_events_free(&rows);
	mem_free(started, t->call_chains.id);
	t->call_chains.id = NULL;
}

/* Exports are mostly sorted by start, so only calls with equal starts move.  If more calls are out of order, all are
 * sorted from scratch. */
void order_calls_sort(trace *t, unsigned need, calls_raw *raw)
{
	trace_calls *c = &t->calls;
	order_ctx ctx = { .t = t, .raw = raw };
	uint32_t *order = NULL;

	order_calls_list_columns(t, raw, ctx.columns);
	if (!sort_nearly(c->n, c->start, order_calls_compare_times, order_calls_swap_rows, &ctx))
		order = sort_order_by(c->n, c->start, order_calls_compare_times, &ctx);
	column_order(ctx.columns, COLUMNS, order, c->n);
	free(order);
	c->reach = trace_reach_build(c->end, c->n);
	if (need & TRACE_CALL_CHAINS)
		order_calls_find_chains(t, raw);
}
