#include "sqlite/time_order.h"
#include "base/interval.h"
#include "base/parallel.h"

enum { ENOUGH = 512, MOST = 64 };       /* a sample has about so many pages, but at least one of so many */
enum { STRETCH = 32, NEAR = 32 };      /* pages that a thread looks at, extra pages checked past the end */

/* How some pages follow each other. */
typedef struct {
	const page_file *f;
	const page_list *leaves;
	leaf_want want[2];              /* start and end */
	int key;
	size_t from, n;                 /* which pages */
	time_order *to;
	time_order_page *page;          /* by page */
} looking;

static size_t page_number(const page_list *leaves, size_t stride, size_t i)
{
	return i * stride < leaves->n ? i * stride : leaves->n - 1;
}

time_order time_order_sample(const page_list *leaves)
{
	size_t n = leaves->n, stride = n < ENOUGH ? 1 : n / ENOUGH > MOST ? MOST : n / ENOUGH;
	time_order o = { .stride = stride, .first = -1, .last = -1 };

	for (size_t i = 0; n && i < (n + stride - 2) / stride + 1; i++)
		vec_push(&o.sample, leaves->v[page_number(leaves, stride, i)]);
	o.page = mem_none(time_order_page, o.sample.n);
	return o;
}

void time_order_rows(time_order *o, time_order_page *page, const int64_t *start, const int64_t *end, size_t n)
{
	time_order_page p = *page;
	bool odd = false, by_start = false;

	for (size_t i = 0; i < n; i++) {
		int64_t b = ns_max(start[i], end[i]);
		if (start[i] < 0)
			continue;
		odd |= start[i] < p.start;
		by_start |= b < p.end;
		p.begins = p.begins < 0 ? start[i] : p.begins;
		p.start = start[i];
		p.end = b;
		p.latest = ns_max(b, p.latest);
	}
	*page = p;
	if (odd)
		__atomic_store_n(&o->odd, true, __ATOMIC_RELAXED);
	if (by_start)
		__atomic_store_n(&o->by_start, true, __ATOMIC_RELAXED);
}

static void look_at(void *ctx, size_t which)
{
	looking *l = ctx;
	leaf_cursor *c = leaf_start(l->f, l->leaves->v, l->leaves->n, l->want, 2, l->key);
	int64_t start[LEAF_ROWS], end[LEAF_ROWS];

	for (size_t i = which * STRETCH; i < (which + 1) * STRETCH && i < l->n; i++) {
		leaf_only(c, l->from + i);
		while (leaf_rows(c)) {
			leaf_ints(c, 0, start);
			leaf_ints(c, 1, end);
			time_order_rows(l->to, &l->page[i], start, end, c->n);
		}
	}
	if (c->bad)
		__atomic_store_n(&l->to->odd, true, __ATOMIC_RELAXED);
	leaf_end(c);
}

/* Do the pages begin in order?  *end becomes the first of those behind the last that begins by a moment. */
static bool in_order(time_order *o, const time_order_page *page, size_t n, int64_t until, size_t *end)
{
	int64_t latest = INT64_MIN;

	*end = 0;
	for (size_t i = 0; i < n; i++) {
		o->odd |= latest > INT64_MIN / 2 && page[i].begins < latest - TIME_ORDER_MARGIN;
		latest = ns_max(page[i].begins, latest);
		*end = page[i].begins <= until ? i + 1 : *end;
	}
	return !o->odd;
}

/* Of the pages [from,to) the first of those behind the last that begins by a moment; all, if they are not in order. */
static size_t look_closely(looking *l, size_t from, size_t to, int64_t until, par threads)
{
	size_t end;

	l->from = from;
	l->n = to - from;
	l->page = mem_none(time_order_page, l->n);
	par_do(threads, (l->n + STRETCH - 1) / STRETCH, look_at, l);
	end = in_order(l->to, l->page, l->n, until, &end) ? from + end : l->leaves->n;
	free(l->page);
	return end;
}

void time_order_span(time_order *o)
{
	for (size_t i = 0; i < o->sample.n; i++) {
		int64_t begins = o->page[i].begins;
		o->first = o->first < 0 || (begins >= 0 && begins < o->first) ? begins : o->first;
		o->last = ns_max(begins, o->last);
	}
}

size_t time_order_end(time_order *o, const page_file *f, const page_list *leaves, const int columns[2], int key,
		      int64_t until, par threads)
{
	size_t n = leaves->n, late, from, to, tail, end;
	looking l = { .f = f, .leaves = leaves, .key = key, .to = o,
		.want = { { .column = columns[0], .null = -1 }, { .column = columns[1], .null = -1 } } };

	until = ns_add(until, TIME_ORDER_MARGIN);
	o->odd |= columns[0] == key || columns[1] == key;
	if (!in_order(o, o->page, o->sample.n, until, &late) || !o->by_start || late == o->sample.n)
		return n;
	if (o->stride == 1)
		return late;
	from = late ? page_number(leaves, o->stride, late - 1) : 0;
	to = page_number(leaves, o->stride, late);
	to = n - to > NEAR ? to + NEAR : n;
	tail = n - to > MOST ? n - MOST : to;
	end = look_closely(&l, from, to, until, threads);
	return look_closely(&l, tail, n, until, threads) > tail ? n : end;
}

void time_order_free(time_order *o)
{
	vec_free(&o->sample);
	free(o->page);
}
