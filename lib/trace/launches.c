#include "trace/launches.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { WORDS = 1 << 16 };       /* of bits, that are always worth having */

typedef struct {
	trace *t;
	join *j;
} job;

static bool asked(const job *b, size_t work)
{
	return trace_id(&b->t->work.corr, work) && (!b->j->comm || trace_is_comm(b->t, work));
}

/* The extremes of the ids of a process, and room for their bits. */
static void find_extent(const job *b, join_ids *x)
{
	const trace_ids *corr = &b->t->work.corr;
	size_t n = 0, most = x->to - x->from > WORDS ? x->to - x->from : WORDS;
	uint64_t words;

	x->low = INT64_MAX;
	x->high = INT64_MIN;
	for (size_t i = x->from; i < x->to; i++) {
		int64_t id = trace_id(corr, i);
		if (!asked(b, i))
			continue;
		x->low = id < x->low ? id : x->low;
		x->high = id > x->high ? id : x->high;
		n++;
	}
	words = ((uint64_t)x->high - (uint64_t)x->low) / 64 + 1;
	if (n && words <= most) {
		x->bits = mem_new(uint64_t, words);
		x->before = mem_new(uint32_t, words + 1);
	}
}

static void number_ids(const job *b, join_ids *x)
{
	const trace_ids *corr = &b->t->work.corr;
	uint64_t words = x->bits ? ((uint64_t)x->high - (uint64_t)x->low) / 64 + 1 : 0;

	for (size_t i = x->from; i < x->to; i++) {
		uint64_t at = (uint64_t)trace_id(corr, i) - (uint64_t)x->low;
		if (!asked(b, i))
			continue;
		if (x->bits)
			x->bits[at / 64] |= (uint64_t)1 << at % 64;
		else
			dict_key(&x->ids, trace_id(corr, i));
	}
	for (uint64_t w = 0; w < words; w++)
		x->before[w + 1] = x->before[w] + (uint32_t)__builtin_popcountll(x->bits[w]);
	x->n = x->bits ? x->before[words] : x->ids.n;
}

static void index_process(void *ctx, size_t which)
{
	job *b = ctx;
	trace_work *w = &b->t->work;
	join_ids *x = &b->j->v[which];

	find_extent(b, x);
	number_ids(b, x);
	x->first = mem_new(uint32_t, x->n);
	memset(x->first, 0xff, x->n * sizeof *x->first);
	for (size_t i = x->from; i < x->to; i++)
		w->launch[i] = asked(b, i) ? join_number(x, trace_id(&w->corr, i)) : NONE;
}

join *join_build(trace *t, const int64_t *process, bool comm)
{
	join *j = mem_new(join, 1);
	trace_work *w = &t->work;

	j->comm = comm;
	j->v = mem_new(join_ids, t->nlanes);
	for (size_t l = 0; l < t->nlanes; l++) {
		const trace_lane *lane = &t->lanes[l];
		int64_t p = process[w->stream[lane->first]];
		if (!j->n || j->v[j->n - 1].process != p)
			j->v[j->n++] = (join_ids){ .process = p, .from = lane->first };
		j->v[j->n - 1].to = lane->first + lane->n;
	}
	w->launch = w->corr.small ? w->corr.small : mem_new(uint32_t, w->n);    /* each id is read before it is replaced */
	par_do(t->db->threads, j->n, index_process, &(job){ t, j });
	w->corr.small = NULL;
	free(w->corr.wide);
	w->corr.wide = NULL;
	return j;
}

join_ids *join_of(const join *j, int64_t process)
{
	int64_t pid = process & 0xffffff;
	size_t lo = 0, hi = j->n;

	while (lo < hi) {               /* as processes are sorted: by pid, then by the whole id */
		size_t mid = lo + (hi - lo) / 2;
		int64_t id = j->v[mid].process;
		if ((id & 0xffffff) < pid || ((id & 0xffffff) == pid && id < process))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < j->n && j->v[lo].process == process && j->v[lo].n ? &j->v[lo] : NULL;
}

void join_clear(const join *j)
{
	for (size_t i = 0; i < j->n; i++)
		memset(j->v[i].first, 0xff, j->v[i].n * sizeof *j->v[i].first);
}

void join_calls(const trace *t, const join *j, const uint32_t *number)
{
	const trace_calls *c = &t->calls;
	join_ids **of = mem_new(join_ids *, t->nthreads);

	for (size_t i = 0; i < t->nthreads; i++)
		of[i] = join_of(j, t->procs[t->threads[i].proc].id);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t *first = number[i] == NONE ? NULL : &of[c->thread[i]]->first[number[i]];
		/* calls are in order of start; of those that start at once, the lowest thread's */
		if (first && (*first == NONE || (c->start[*first] == c->start[i] && c->thread[i] < c->thread[*first])))
			*first = (uint32_t)i;
	}
	free(of);
}

static void launches_of(void *ctx, size_t which)
{
	job *b = ctx;
	join_ids *x = &b->j->v[which];
	uint32_t *launch = b->t->work.launch;

	for (size_t i = x->from; i < x->to; i++)
		if (launch[i] != NONE)
			launch[i] = x->first[launch[i]];
	free(x->bits);
	free(x->before);
	free(x->first);
	dict_free(&x->ids);
}

void join_end(trace *t, join *j)
{
	par_do(t->db->threads, j->n, launches_of, &(job){ t, j });
	free(j->v);
	free(j);
}
