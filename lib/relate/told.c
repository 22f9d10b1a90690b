#include "relate/told.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/projection.h"
#include "trace/global_id.h"
#include "trace/slice_facts.h"
#include "trace/sync_calls.h"

typedef struct {
	trace *t;
	told *to;
	uint32_t *rows;         /* of syncs that tell a stream to wait: by process, those of each in order of calls */
	size_t *first;          /* by process: where its own begin, and at the end where the last ends */
	uint32_t *number;       /* by stream: which of its process's it is */
} finding;

static void mark(const told *w, size_t work, bool waits)
{
	uint8_t bit = (uint8_t)(1 << work % 8);

	if (waits)
		__atomic_fetch_or(&w->bits[work / 8], bit, __ATOMIC_RELAXED);   /* two processes may share a byte */
	else
		w->bits[work / 8] &= (uint8_t)~bit;
}

static void find_rows(finding *f)
{
	const trace *t = f->t;
	const trace_syncs *y = &t->syncs;
	const uint8_t *kind = sync_calls(f->t);
	uint32_t *of_place = mem_new(uint32_t, y->nplaces);
	vec(uint32_t) rows = { 0 }, proc = { 0 };

	for (size_t i = 0; i < y->nplaces; i++)
		of_place[i] = trace_proc_of(t, global_first(y->places[i].process));
	for (uint32_t i = 0; i < y->n; i++)
		if (!y->record || (!y->record[i] && kind[calls_kind(&t->calls, y->call[i])] == SYNC_CALL_TELL)) {
			vec_push(&rows, i);
			vec_push(&proc, of_place[y->place[i]]);
		}
	f->first = mem_new(size_t, t->nprocs + 1);
	f->rows = sort_groups(proc.v, rows.n, t->nprocs, t->workers, f->first);
	for (size_t i = 0; i < rows.n; i++)
		f->rows[i] = rows.v[f->rows[i]];
	mem_free(rows.v, proc.v, of_place);
}

/* The streams of a process: a context, and a number in it. */
typedef struct {
	const finding *f;
	group streams;
	vec(bool) told;         /* to wait, since it was given work last */
	size_t n;               /* how many were */
	const uint32_t *work, *end;     /* what is still to be given, in order of launch */
} telling;

static size_t stream_at(telling *s, int64_t ctx, int64_t stream)
{
	size_t k = group_of(&s->streams, (int64_t[]){ ctx, stream });

	if (k == s->told.n)
		vec_push(&s->told, false);
	return k;
}

/* Give the streams what was launched before the call. */
static void give(telling *s, uint32_t before)
{
	const trace *t = s->f->t;

	for (; s->work < s->end && t->work.launch[*s->work] < before && s->n; s->work++) {
		size_t k = s->f->number[work_stream(&t->work, *s->work)];
		if (s->told.v[k]) {
			s->told.v[k] = false;
			s->n--;
			mark(s->f->to, *s->work, true);
		}
	}
	if (!s->n) {                    /* nothing is told up to the call, so that need not be gone through */
		size_t i;
		search_near(i, 0, 0, (size_t)(s->end - s->work), t->work.launch[s->work[i]] >= before);
		s->work += i;
	}
}

/* What a call tells comes before what it launches. */
static void find_of(void *ctx, size_t proc)
{
	const finding *f = ctx;
	const trace *t = f->t;
	telling s = { .f = f, .streams = { .width = 2 } };
	size_t n, end, k = trace_streams(t, (uint32_t)proc, &end), *of_place = mem_new(size_t, t->syncs.nplaces);

	s.work = projection_launched(projection_order(f->t), (uint32_t)proc, &n);
	s.end = s.work + n;
	for (; k < end; k++)
		f->number[k] = (uint32_t)stream_at(&s, t->streams[k].ctx, t->streams[k].stream);
	for (k = f->first[proc]; k < f->first[proc + 1]; k++) {
		uint32_t place = t->syncs.place[f->rows[k]];
		size_t *stream = &of_place[place];      /* + 1 */
		if (!*stream)
			*stream = stream_at(&s, t->syncs.places[place].ctx, t->syncs.places[place].stream) + 1;
		give(&s, t->syncs.call[f->rows[k]]);
		s.n += !s.told.v[*stream - 1];
		s.told.v[*stream - 1] = true;
	}
	give(&s, NONE);
	free(of_place);
	group_free(&s.streams);
	vec_free(&s.told);
}

/* Of work that a slice says something of, that alone counts. */
static void take_recorded(const told *w, trace *t)
{
	static const struct { const char *fact; bool waits; } facts[] = { { "after", false }, { "awaits", true } };
	const slice_facts *all = slice_facts_of(t);

	for (size_t i = 0; i < 2; i++)
		for (const slice_fact *x = slice_facts_first(all, facts[i].fact); x; x = slice_facts_next(all, x))
			if (x->v[0] >= 0 && (uint64_t)x->v[0] < t->work.n)
				mark(w, (size_t)x->v[0], facts[i].waits);
}

/* Work on a stream that is not known may have waited for anything. */
static void mark_streamless(const told *w, const trace *t)
{
	bool *unknown = mem_new(bool, t->nstreams), some = false;

	for (size_t i = 0; i < t->nstreams; i++)
		some |= unknown[i] = !sync_known(t->streams[i].ctx) || !sync_known(t->streams[i].stream);
	for (size_t i = 0; some && i < t->work.n; i++)
		if (unknown[work_stream(&t->work, i)])
			mark(w, i, true);
	free(unknown);
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	finding f = { .t = t, .to = mem_new(told, 1) };

	f.to->bits = mem_new(uint8_t, t->work.n / 8 + 1);
	f.number = mem_new(uint32_t, t->nstreams);
	find_rows(&f);
	par_do(t->workers, t->nprocs, find_of, &f);
	take_recorded(f.to, t);
	mark_streamless(f.to, t);
	if (!t->syncs.record) {         /* nobody else asks for them */
		mem_free(t->syncs.call, t->syncs.place);
		t->syncs = (trace_syncs){ .places = t->syncs.places };
	}
	mem_free(f.rows, f.first, f.number);
	return f.to;
}

static void drop(void *made)
{
	told *w = made;

	mem_free(w->bits, w);
}

const told *told_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}
