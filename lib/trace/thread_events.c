#include "trace/thread_events.h"
#include "base/column.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"

#include <string.h>

enum { BLOCK = 64 };            /* events that share one entry of trace_thread_events.reach */
enum { COLUMNS = 4 };

typedef struct {
	trace_thread_events *to;
	const thread_events_source *from;
} thread_events_ctx;

/* Set a->first and a->n.  Returns an array with, for each thread, the index at which to put its first event, which is
 * its a->first plus the margin.  The caller frees the array. */
static size_t *thread_events_find_starts(trace_thread_events *a, const thread_events_rows *rows,
					 const thread_events_source *from)
{
	size_t *next = mem_new(size_t, from->nthreads), at = 0;

	for (const thread_events_part *p = from->parts; p < from->parts + from->nparts; p++)
		for (size_t i = p->first; i < p->first + p->n; i++)
			if (p->kinds[rows->kind[i]].thread != NONE)
				next[p->kinds[rows->kind[i]].thread]++;
	a->first = mem_new(size_t, from->nthreads + 1);
	for (size_t th = 0; th < from->nthreads; th++) {
		size_t count = next[th];
		a->first[th] = at;
		next[th] = at + from->margin;
		at += count + 2 * from->margin;
	}
	a->n = a->first[from->nthreads] = at;
	return next;
}

static void thread_events_copy_part(trace_thread_events *a, const thread_events_rows *r, const thread_events_part *p,
				     size_t *next)
{
	for (size_t i = p->first; i < p->first + p->n; i++) {
		thread_events_kind kind = p->kinds[r->kind[i]];
		size_t at;
		if (kind.thread == NONE)
			continue;
		at = next[kind.thread]++;
		a->start[at] = r->start[i];
		a->name[at] = kind.name;
		if (r->end)
			a->end[at] = r->end[i];
		if (r->chain)
			a->chain[at] = r->chain[i];
	}
}

/* Compare two events of one thread, by the order of thread_events_order. */
static int thread_events_compare_events(uint32_t x, uint32_t y, const void *ctx)
{
	const thread_events_ctx *o = ctx;
	const trace_thread_events *a = o->to;
	uint32_t p = a->name[x], q = a->name[y];

	if (a->start[x] != a->start[y])
		return sort_3way(a->start[x], a->start[y]);
	if (thread_events_end(a, x) != thread_events_end(a, y))
		return -sort_3way(thread_events_end(a, x), thread_events_end(a, y));
	if (p != q)
		return o->from->names ? str_cmp(o->from->names, p, q) : sort_3way(p, q);
	return a->chain ? sort_3way(a->chain[x], a->chain[y]) : 0;
}

static void thread_events_sort_rows(const thread_events_ctx *o, size_t lo, size_t hi)
{
	trace_thread_events *a = o->to;
	const struct { void *array; size_t size; } c[COLUMNS] = { { a->start, sizeof *a->start },
		{ a->end, sizeof *a->end }, { a->name, sizeof *a->name }, { a->chain, sizeof *a->chain } };
	uint32_t *order = mem_grow(NULL, hi - lo, sizeof *order);
	char *room = mem_grow(NULL, hi - lo, sizeof *a->start);

	for (size_t i = lo; i < hi; i++)
		order[i - lo] = (uint32_t)i;
	sort_items_by(order, hi - lo, a->start, thread_events_compare_events, o);
	for (size_t i = 0; i < COLUMNS; i++)
		if (c[i].array) {
			sort_gather(room, c[i].array, c[i].size, order, 0, hi - lo);
			memcpy((char *)c[i].array + lo * c[i].size, room, (hi - lo) * c[i].size);
		}
	mem_free(order, room);
}

/* The index of the first block that begins with an event of the thread. */
static size_t thread_events_first_block(const trace_thread_events *a, uint32_t thread)
{
	return (a->first[thread] + BLOCK - 1) / BLOCK;
}

/* Sort the events of a thread, which mostly are sorted already, and set the elements of reach whose blocks begin with
 * an event of the thread. */
static void thread_events_order_thread(const thread_events_ctx *o, size_t thread)
{
	const trace_thread_events *a = o->to;
	size_t lo = a->first[thread] + o->from->margin, hi = a->first[thread + 1] - o->from->margin, i = lo + 1;
	int64_t latest = INT64_MIN;

	while (i < hi &&
	       (a->start[i - 1] < a->start[i] ||
		(a->start[i - 1] == a->start[i] && thread_events_compare_events((uint32_t)i - 1, (uint32_t)i, o) <= 0)))
		i++;
	if (i < hi)
		thread_events_sort_rows(o, lo, hi);
	for (i = lo; a->reach && i < hi; i++) {
		latest = ns_max(latest, thread_events_end(a, i));
		if (i / BLOCK >= thread_events_first_block(a, (uint32_t)thread))
			a->reach[i / BLOCK] = latest;
	}
}

trace_thread_events thread_events_order(thread_events_rows *rows, const thread_events_source *from)
{
	trace_thread_events a = { 0 };
	size_t *next = thread_events_find_starts(&a, rows, from);

	a.start = mem_new(int64_t, a.n);
	a.name = mem_new(uint32_t, a.n);
	a.end = rows->end ? mem_new(int64_t, a.n) : NULL;
	a.chain = rows->chain ? mem_new(uint32_t, a.n) : NULL;
	for (size_t i = 0; i < from->nparts; i++)
		thread_events_copy_part(&a, rows, &from->parts[i], next);
	mem_free(rows->start, rows->end, rows->kind, rows->chain);
	*rows = (thread_events_rows){ 0 };
	if (a.end)
		a.reach = mem_new(int64_t, a.n / BLOCK + 1);
	for (size_t th = 0; th < from->nthreads; th++)
		thread_events_order_thread(&(thread_events_ctx){ &a, from }, th);
	free(next);
	return a;
}

void thread_events_free(trace_thread_events *a)
{
	mem_free(a->start, a->end, a->name, a->chain, a->reach, a->first);
	*a = (trace_thread_events){ 0 };
}

void thread_events_add(thread_events_list *l, uint32_t thread, int64_t start, int64_t end, uint32_t name)
{
	const thread_events_kind *last = l->kinds.n ? &l->kinds.v[l->kinds.n - 1] : NULL;

	if (l->n == l->room) {
		const column c[] = { COLUMN(l->rows.start), COLUMN(l->rows.end), COLUMN(l->rows.kind) };
		l->room = l->room ? 2 * l->room : 64;
		column_grow(c, sizeof c / sizeof *c, l->room);
	}
	if (!last || last->thread != thread || last->name != name)
		vec_push(&l->kinds, (thread_events_kind){ thread, name });
	l->rows.start[l->n] = start;
	l->rows.end[l->n] = end > start ? end : start;
	l->rows.kind[l->n++] = (uint32_t)l->kinds.n - 1;
}

trace_thread_events thread_events_take_list(thread_events_list *l, const str_pool *names, size_t nthreads)
{
	thread_events_part all = { 0, l->n, l->kinds.v };
	thread_events_source from = { .parts = &all, .nparts = 1, .names = names, .nthreads = nthreads };
	trace_thread_events a = thread_events_order(&l->rows, &from);

	free(l->kinds.v);
	*l = (thread_events_list){ 0 };
	return a;
}

void thread_events_list_free(thread_events_list *l)
{
	mem_free(l->rows.start, l->rows.end, l->rows.kind, l->kinds.v);
	*l = (thread_events_list){ 0 };
}

void thread_events_renumber(trace_thread_events *a, const uint32_t *thread, size_t n, size_t nthreads)
{
	size_t *first = mem_new(size_t, nthreads + 1), k = 0;

	for (size_t i = 0; i <= nthreads; i++) {
		while (k < n && thread[k] < i)
			k++;
		first[i] = a->first[k];
	}
	free(a->first);
	a->first = first;
}

/* If the thread's events begin within a block, `reach` of that block is about another thread, so the thread's events in
 * that block are searched one by one. */
size_t thread_events_find_reaching(const trace_thread_events *a, uint32_t thread, int64_t moment)
{
	size_t lo = a->first[thread], hi = a->first[thread + 1], block = thread_events_first_block(a, thread), i;

	if (!a->reach) {
		search_first(i, lo, hi, a->start[i] >= moment);
		return i;
	}
	for (i = lo; i < hi && i < block * BLOCK; i++)
		if (thread_events_end(a, i) >= moment)
			return i;
	search_first(i, block, (hi + BLOCK - 1) / BLOCK, a->reach[i] >= moment);
	for (i = i * BLOCK > lo ? i * BLOCK : lo; i < hi && thread_events_end(a, i) < moment;)
		i++;
	return i < hi ? i : hi;
}

int64_t thread_events_latest_before(const trace_thread_events *a, uint32_t thread, size_t event)
{
	size_t i = a->first[thread], block = event / BLOCK;
	int64_t latest = INT64_MIN;

	if (!a->reach) {
		return event > i ? a->start[event - 1] : latest;
	} else if (block > thread_events_first_block(a, thread)) {
		latest = a->reach[block - 1];
		i = block * BLOCK;
	}
	for (; i < event; i++)
		latest = ns_max(latest, thread_events_end(a, i));
	return latest;
}

uint32_t thread_events_find_thread(const trace_thread_events *a, size_t nthreads, size_t event)
{
	size_t i;

	search_first(i, 0, nthreads, a->first[i + 1] > event);
	return (uint32_t)i;
}
