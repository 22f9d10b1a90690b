#include "sqlite/time_order.h"
#include "base/interval.h"
#include "base/parallel.h"

enum { LEAST = 512, STRIDE = 64 };      /* pages of a sample, and of those that it is one of */
enum { STRETCH = 128, NEAR = 32 };      /* pages that a thread looks at, extra pages checked past the end */

typedef struct {                        /* when some pages begin */
	const page_file *f;
	const page_list *leaves;
	leaf_want want[2];              /* start and end */
	int key, threads;
	size_t from, stride, n;         /* which pages: n from this one on, the last is that of the table at most */
	int64_t *start;                 /* by page */
	bool odd;                       /* one of them cannot be read, or its rows are not in order */
	bool by_start;                  /* a row ends before the one before it, so that they are not in order of ends */
} pages;

static size_t page_number(const pages *p, size_t i)
{
	size_t page = p->from + i * p->stride;

	return page < p->leaves->n ? page : p->leaves->n - 1;
}

/* Look at the rows of a page that have a time.  It begins with the first of them; -1: there is none. */
static void look_at_page(pages *p, leaf_cursor *c, size_t which)
{
	int64_t begins = -1, start = -1, end = -1;
	bool odd = p->want[0].column == p->key || p->want[1].column == p->key, by_start = false;

	leaf_only(c, page_number(p, which));
	while (leaf_rows(c))
		for (size_t i = 0; i < c->n; i++) {
			int64_t a = leaf_int(c, i, 0), b = ns_max(a, leaf_int(c, i, 1));
			if (a < 0)
				continue;
			odd |= a < start;
			by_start |= b < end;
			begins = begins < 0 ? a : begins;
			start = a;
			end = b;
		}
	p->start[which] = begins;
	if (odd || c->bad)
		__atomic_store_n(&p->odd, true, __ATOMIC_RELAXED);
	if (by_start)
		__atomic_store_n(&p->by_start, true, __ATOMIC_RELAXED);
}

static void look_at(void *ctx, size_t which)
{
	pages *p = ctx;
	leaf_cursor *c = leaf_start(p->f, p->leaves->v, p->leaves->n, p->want, 2, p->key);

	leaf_copy(c);
	for (size_t i = which * STRETCH; i < (which + 1) * STRETCH && i < p->n; i++)
		look_at_page(p, c, i);
	leaf_end(c);
}

/* Do the pages begin in order?  *end becomes the first of those behind the last that begins by a moment. */
static bool in_order(pages *p, int64_t until, size_t *end)
{
	int64_t latest = INT64_MIN;

	free(p->start);
	p->start = mem_new(int64_t, p->n);
	par_do(p->threads, (p->n + STRETCH - 1) / STRETCH, look_at, p);
	*end = 0;
	for (size_t i = 0; i < p->n; i++) {
		p->odd |= latest > INT64_MIN / 2 && p->start[i] < latest - TIME_ORDER_MARGIN;
		latest = p->start[i] > latest ? p->start[i] : latest;
		*end = p->start[i] <= until ? i + 1 : *end;
	}
	return !p->odd;
}

/* Of the pages [from,to) the first of those behind the last that begins by a moment; all, if they are not in order. */
static size_t look_closely(pages *p, size_t from, size_t to, int64_t until)
{
	size_t end;

	p->from = from;
	p->stride = 1;
	p->n = to - from;
	return in_order(p, until, &end) ? from + end : p->leaves->n;
}

time_order time_order_find(const page_file *f, const page_list *leaves, const int columns[2], int key, int64_t until,
			   int threads)
{
	size_t n = leaves->n, stride = n / LEAST < 1 ? 1 : n / LEAST > STRIDE ? STRIDE : n / LEAST, late;
	pages p = { .f = f, .leaves = leaves, .key = key, .threads = threads,
		.want = { { .column = columns[0], .null = -1 }, { .column = columns[1], .null = -1 } },
		.stride = stride, .n = n ? (n + stride - 2) / stride + 1 : 0 };
	time_order o = { .end = n, .first = -1, .last = -1 };
	bool ordered;

	until = until < INT64_MAX - TIME_ORDER_MARGIN ? until + TIME_ORDER_MARGIN : INT64_MAX;
	ordered = in_order(&p, until, &late);
	for (size_t i = 0; i < p.n; i++) {
		vec_push(&o.sample, leaves->v[page_number(&p, i)]);
		o.first = o.first < 0 || (p.start[i] >= 0 && p.start[i] < o.first) ? p.start[i] : o.first;
		o.last = p.start[i] > o.last ? p.start[i] : o.last;
	}
	if (ordered && p.by_start && late < p.n) {
		size_t from = late ? page_number(&p, late - 1) : 0, to = page_number(&p, late), tail;
		to = n - to > NEAR ? to + NEAR : n;
		tail = n - to > STRIDE ? n - STRIDE : to;
		o.end = look_closely(&p, from, to, until);
		o.end = look_closely(&p, tail, n, until) > tail ? n : o.end;
	}
	free(p.start);
	return o;
}
