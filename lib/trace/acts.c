#include "trace/acts.h"
#include "base/column.h"
#include "base/memory.h"
#include "base/sort.h"

enum { COLUMNS = 4 };

void acts_add(trace_acts *a, uint32_t thread, int64_t start, int64_t end, uint32_t name)
{
	if (a->n == a->room) {
		const column c[COLUMNS] = { COLUMN(a->start), COLUMN(a->end), COLUMN(a->thread), COLUMN(a->name) };
		a->room = a->room ? 2 * a->room : 64;
		column_grow(c, COLUMNS, a->room);
	}
	a->start[a->n] = start;
	a->end[a->n] = end > start ? end : start;
	a->thread[a->n] = thread;
	a->name[a->n++] = name;
}

typedef struct {
	const trace_acts *a;
	const str_pool *names;
} order_ctx;

/* Within a thread. */
static int by_start(uint32_t x, uint32_t y, const void *ctx)
{
	const order_ctx *o = ctx;
	const trace_acts *a = o->a;

	if (a->start[x] != a->start[y])
		return sort_3way(a->start[x], a->start[y]);
	if (a->end[x] != a->end[y])
		return -sort_3way(a->end[x], a->end[y]);
	return o->names ? str_cmp(o->names, a->name[x], a->name[y]) : sort_3way(a->name[x], a->name[y]);
}

void acts_order(trace_acts *a, const str_pool *names, size_t nthreads, par workers)
{
	const column c[COLUMNS] = { COLUMN(a->start), COLUMN(a->end), COLUMN(a->thread), COLUMN(a->name) };
	uint32_t *order;

	a->first = mem_new(size_t, nthreads + 1);
	order = sort_groups(a->thread, a->n, nthreads, workers, a->first);
	for (size_t i = 0; i < nthreads; i++)   /* those of a thread are mostly in order */
		sort_items_by(order + a->first[i], a->first[i + 1] - a->first[i], a->start, by_start,
			      &(order_ctx){ a, names }, workers);
	column_order(c, COLUMNS, order, a->n, workers, NULL);
	free(order);
	a->reach = mem_new(int64_t, a->n);
	for (size_t i = 0; i < a->n; i++) {
		bool more = i && a->thread[i] == a->thread[i - 1] && a->reach[i - 1] > a->end[i];
		a->reach[i] = more ? a->reach[i - 1] : a->end[i];
	}
}

void acts_free(trace_acts *a)
{
	mem_free(a->start, a->end, a->thread, a->name, a->reach, a->first);
	*a = (trace_acts){ 0 };
}
