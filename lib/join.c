#include "join.h"
#include "mem.h"
#include "par.h"

#include <string.h>

/* First call by correlation id, for one process.  CUPTI counts ids up, with gaps: a bit for each id
 * that a call has, and how many come before each word of bits, number the ids without the gaps.
 * Where ids are too sparse for that a dictionary numbers them. */
typedef struct {
	int64_t low, high;
	size_t calls;
	uint64_t *bits;
	uint32_t *before;
	dict ids;
	uint32_t *first;        /* by number */
} id_index;

static uint32_t number_of(const id_index *x, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)x->low, word;

	if (!x->bits)
		return dict_find(&x->ids, id);
	if (id < x->low || id > x->high)
		return NONE;
	word = x->bits[at / 64];
	if (!(word >> at % 64 & 1))
		return NONE;
	return x->before[at / 64] + (uint32_t)__builtin_popcountll(word & (((uint64_t)1 << at % 64) - 1));
}

/* Which ids the calls of each process have. */
static void index_ids(const trace *t, id_index *of)
{
	const trace_calls *c = &t->calls;

	for (size_t i = 0; i < c->n; i++) {
		id_index *x = &of[t->threads[c->thread[i]].proc];
		int64_t id = trace_id(&c->corr, i);
		if (!id)
			continue;               /* CUPTI's mark for no correlation */
		if (!x->calls++)
			x->low = x->high = id;
		x->low = id < x->low ? id : x->low;
		x->high = id > x->high ? id : x->high;
	}
	for (size_t p = 0; p < t->nprocs; p++) {
		uint64_t words = ((uint64_t)of[p].high - (uint64_t)of[p].low) / 64 + 1;
		if (of[p].calls && words <= of[p].calls) {
			of[p].bits = mem_new(uint64_t, words);
			of[p].before = mem_new(uint32_t, words + 1);
		}
	}
	for (size_t i = 0; i < c->n; i++) {
		id_index *x = &of[t->threads[c->thread[i]].proc];
		uint64_t at = (uint64_t)trace_id(&c->corr, i) - (uint64_t)x->low;
		if (!trace_id(&c->corr, i))
			continue;
		if (x->bits)
			x->bits[at / 64] |= (uint64_t)1 << at % 64;
		else
			dict_key(&x->ids, trace_id(&c->corr, i));
	}
	for (size_t p = 0; p < t->nprocs; p++) {
		uint64_t words = of[p].bits ? ((uint64_t)of[p].high - (uint64_t)of[p].low) / 64 + 1 : 0;
		for (uint64_t w = 0; w < words; w++)
			of[p].before[w + 1] = of[p].before[w] + (uint32_t)__builtin_popcountll(of[p].bits[w]);
		size_t n = of[p].bits ? of[p].before[words] : of[p].ids.n;
		of[p].first = mem_new(uint32_t, n);
		memset(of[p].first, 0xff, n * sizeof *of[p].first);
	}
}

typedef struct {
	trace *t;
	const id_index *of;
} join_job;

enum { JOIN_BLOCK = 1 << 16 };

/* The launches of one block of work. */
static void join_block(void *ctx, size_t block)
{
	join_job *j = ctx;
	trace_work *w = &j->t->work;
	size_t end = (block + 1) * JOIN_BLOCK < w->n ? (block + 1) * JOIN_BLOCK : w->n;

	for (size_t i = block * JOIN_BLOCK; i < end; i++) {
		const id_index *x = &j->of[j->t->streams[w->stream[i]].proc];
		int64_t id = trace_id(&w->corr, i);
		uint32_t k = id && x->calls ? number_of(x, id) : NONE;
		w->launch[i] = k == NONE ? NONE : x->first[k];
	}
}

void join_calls(trace *t)
{
	trace_calls *c = &t->calls;
	id_index *of = mem_new(id_index, t->nprocs);

	index_ids(t, of);
	for (size_t i = 0; i < c->n; i++) {
		id_index *x = &of[t->threads[c->thread[i]].proc];
		int64_t id = trace_id(&c->corr, i);
		uint32_t k = id ? number_of(x, id) : NONE;
		/* calls are in order of start; of those that start at once, the lowest thread's */
		if (k != NONE && (x->first[k] == NONE || (c->start[x->first[k]] == c->start[i] &&
		    c->thread[i] < c->thread[x->first[k]])))
			x->first[k] = (uint32_t)i;
	}
	free(c->corr.small);
	free(c->corr.wide);
	c->corr = (trace_ids){ 0 };
	t->work.launch = mem_new(uint32_t, t->work.n);
	par_do(t->db->threads, (t->work.n + JOIN_BLOCK - 1) / JOIN_BLOCK, join_block, &(join_job){ t, of });
	for (size_t p = 0; p < t->nprocs; p++) {
		free(of[p].bits);
		free(of[p].before);
		free(of[p].first);
		dict_free(&of[p].ids);
	}
	free(of);
}
