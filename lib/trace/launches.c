#include "trace/launches.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "trace/global_id.h"

#include <string.h>

enum { WORDS = 1 << 8 };        /* this many words of bits are always affordable, for each of many processes */
enum { STRETCH = 1 << 16 };     /* calls, or pieces of work, that a thread looks at */

typedef struct {                /* a stretch of a process's work */
	launches_ids *of;
	size_t from, to;
	int64_t low, high;      /* the ids that are asked for in it */
} stretch;

typedef struct {
	trace *t;
	const launches *l;
	bool comm;              /* only communication is asked about */
	stretch *v;
	size_t n;
} job;

/* The correlation id of work, 0 if the trace does not say it or nobody wants to know who launched that. */
static inline int64_t asked(const job *b, size_t work)
{
	return !b->comm || trace_is_comm(b->t, work) ? b->t->work.corr[work] : 0;
}

static job stretches_of(trace *t, const launches *l)
{
	job b = { .t = t, .l = l, .comm = l->comm };

	for (size_t i = 0; i < l->n; i++)
		b.n += (l->v[i].to - l->v[i].from) / STRETCH + 1;
	b.v = mem_new(stretch, b.n);
	b.n = 0;
	for (launches_ids *x = l->v; x < l->v + l->n; x++)
		for (size_t from = x->from; from < x->to; from += STRETCH)
			b.v[b.n++] = (stretch){ .of = x, .from = from, .low = INT64_MAX, .high = INT64_MIN,
				.to = x->to - from < STRETCH ? x->to : from + STRETCH };
	return b;
}

static void widen(stretch *s, int64_t id)
{
	s->low = id && id < s->low ? id : s->low;
	s->high = id && id > s->high ? id : s->high;
}

static void find_extent(void *ctx, size_t which)
{
	const job b = *(const job *)ctx;
	stretch s = b.v[which];
	int64_t last = 0;       /* the work of a graph has one id */

	for (size_t i = s.from; i < s.to; i++) {
		int64_t id = asked(&b, i);
		if (id != last)
			widen(&s, last = id);
	}
	b.v[which] = s;
}

static size_t words_of(const launches_ids *x)
{
	return x->bits ? ((uint64_t)x->high - (uint64_t)x->low) / 64 + 1 : 0;
}

/* Allocate the bits of each process if they take no more words than there are rows. */
static void make_bits(const job *b)
{
	for (size_t i = 0, end; i < b->n; i = end) {
		launches_ids *x = b->v[i].of;
		size_t rows = x->to - x->from, most = rows > WORDS ? rows : WORDS;

		x->low = INT64_MAX;
		x->high = INT64_MIN;
		for (end = i; end < b->n && b->v[end].of == x; end++) {
			x->low = b->v[end].low < x->low ? b->v[end].low : x->low;
			x->high = b->v[end].high > x->high ? b->v[end].high : x->high;
		}
		if (x->low <= x->high && ((uint64_t)x->high - (uint64_t)x->low) / 64 < most) {
			x->bits = mem_new(uint64_t, ((uint64_t)x->high - (uint64_t)x->low) / 64 + 1);
			x->before = mem_new(uint32_t, words_of(x) + 1);
		}
	}
}

typedef struct {                /* bits of one word, until another is met: neighbours have much the same ids */
	uint64_t *words, low;   /* of the process */
	uint64_t at, bits;
} noting;

static void put_bits(const noting *n)
{
	if (n->bits)            /* other stretches may put some in the same word */
		__atomic_fetch_or(&n->words[n->at], n->bits, __ATOMIC_RELAXED);
}

static inline void note_id(noting *n, int64_t id)
{
	uint64_t at = (uint64_t)id - n->low;

	if (!id)
		return;
	if (at / 64 != n->at) {
		put_bits(n);
		n->at = at / 64;
		n->bits = 0;
	}
	n->bits |= (uint64_t)1 << at % 64;
}

static void note_ids(void *ctx, size_t which)
{
	const job b = *(const job *)ctx;
	const stretch s = b.v[which];
	noting n = { s.of->bits, (uint64_t)s.of->low, 0, 0 };
	int64_t last = 0;

	if (!n.words)
		return;
	for (size_t i = s.from; i < s.to; i++)
		if (asked(&b, i) != last)
			note_id(&n, last = asked(&b, i));
	put_bits(&n);
}

/* Those of a process without bits go to its dictionary. */
static void note_sparse(const job *b, launches_ids *x)
{
	for (size_t i = x->from; i < x->to; i++)
		if (asked(b, i))
			dict_key(&x->ids, asked(b, i));
}

static void number_ids(void *ctx, size_t which)
{
	const job *b = ctx;
	launches_ids *x = &b->l->v[which];
	size_t words = words_of(x);

	if (!x->bits && x->low <= x->high)
		note_sparse(b, x);
	for (size_t w = 0; w < words; w++)
		x->before[w + 1] = x->before[w] + bits_set(x->bits[w]);
	x->n = x->bits ? x->before[words] : x->ids.n;
	x->first = mem_new(uint32_t, x->n);
}

static void number_all(trace *t, launches *l)
{
	job b = stretches_of(t, l);

	par_do(t->workers, b.n, find_extent, &b);
	make_bits(&b);
	par_do(t->workers, b.n, note_ids, &b);
	par_do(t->workers, l->n, number_ids, &b);
	free(b.v);
}

launches *launches_build(trace *t, const int64_t *process, unsigned need)
{
	launches *l = mem_new(launches, 1);
	trace_work *w = &t->work;

	l->comm = (need & TRACE_LAUNCH) == TRACE_COMM_LAUNCH;
	l->keep = need & TRACE_CORRELATIONS;
	l->v = mem_new(launches_ids, t->nlanes);
	for (size_t i = 0; i < t->nlanes; i++) {
		const trace_lane *lane = &t->lanes[i];
		int64_t p = process[work_stream(w, lane->first)];
		if (!l->n || l->v[l->n - 1].process != p)
			l->v[l->n++] = (launches_ids){ .process = p, .from = lane->first };
		l->v[l->n - 1].to = lane->first + lane->n;
	}
	number_all(t, l);
	return l;
}

launches_ids *launches_of(const launches *l, int64_t process)
{
	size_t i;

	search_first(i, 0, l->n, global_order(l->v[i].process, process) >= 0);
	return i < l->n && l->v[i].process == process && l->v[i].n ? &l->v[i] : NULL;
}

void launches_clear(const launches *l)
{
	for (size_t i = 0; i < l->n; i++)
		memset(l->v[i].first, 0, l->v[i].n * sizeof *l->v[i].first);
}

typedef struct {
	const trace_calls *calls;
	const int64_t *corr;    /* by call */
	launches_ids **of;      /* by thread, or NULL */
} finding;

static void first_calls(void *ctx, size_t which)
{
	const finding x = *(const finding *)ctx;
	const trace_calls *c = x.calls;

	for (size_t i = which * STRETCH; i < c->n && i < (which + 1) * STRETCH; i++) {
		launches_ids *of = x.of[calls_thread(c, i)];
		uint32_t n = of ? launches_number(of, x.corr[i]) : NONE, was;
		if (n == NONE)
			continue;
		was = __atomic_load_n(&of->first[n], __ATOMIC_RELAXED);
		while ((!was || launches_before(c, i, was - 1)) &&
		       !__atomic_compare_exchange_n(&of->first[n], &was, (uint32_t)i + 1, true, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
			;               /* another thread has found one, too */
	}
}

void launches_calls(const trace *t, const launches *l, const int64_t *corr)
{
	finding x = { &t->calls, corr, mem_new(launches_ids *, t->nthreads) };

	for (size_t i = 0; i < t->nthreads; i++)
		x.of[i] = launches_of(l, t->procs[t->threads[i].proc].id);
	par_do(t->workers, t->calls.n / STRETCH + 1, first_calls, &x);
	free(x.of);
}

static void put_calls(void *ctx, size_t which)
{
	const job b = *(const job *)ctx;
	const stretch s = b.v[which];
	uint32_t *launch = b.t->work.launch, call = NONE;
	int64_t last = 0;       /* the work of a graph has one id */

	if (!s.of->n) {
		memset(launch + s.from, 0xff, (s.to - s.from) * sizeof *launch);        /* NONE */
		return;
	}
	for (size_t i = s.from; i < s.to; i++) {
		int64_t id = asked(&b, i);
		if (id != last) {
			uint32_t n = launches_number(s.of, id);
			call = n == NONE ? NONE : s.of->first[n] - 1;
			last = id;
		}
		launch[i] = call;
	}
}

void launches_end(trace *t, launches *l)
{
	job b = stretches_of(t, l);
	trace_work *w = &t->work;

	w->launch = mem_new(uint32_t, w->n);
	par_do(t->workers, b.n, put_calls, &b);
	if (!l->keep) {
		free(w->corr);
		w->corr = NULL;
	}
	for (launches_ids *x = l->v; x < l->v + l->n; x++) {
		mem_free(x->bits, x->before, x->first);
		dict_free(&x->ids);
	}
	mem_free(b.v, l->v, l);
}
