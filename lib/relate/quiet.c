#include "relate/quiet.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "relate/comm_work.h"

#include <string.h>

static bool counts(const quiet *q, size_t i)
{
	return q->of == QUIET_WORK || (q->of == QUIET_KERNELS ? q->t->work.kind[i] <= WORK_GRAPH :
		trace_is_compute(q->t, i));
}

static bool makes_busy(const quiet *q, size_t i)
{
	return counts(q, i) && q->t->work.end[i] > q->t->work.start[i];
}

/* A stretch of a lane's work, whose busy intervals a thread finds. */
typedef struct {
	size_t lane, from, to;
	size_t most, at, n;     /* at most so many intervals begin in it; where the first goes, and how many do */
	int64_t reach;          /* when the last of its work ends and, once intervals are found, of all work up to it */
	int64_t before;         /* the same of the work before its first interval */
} stretch;

typedef struct {
	quiet *q;
	stretch *v;
	size_t n;
} finding;

/* How many intervals it has if nothing before reaches into it, and how far it reaches itself. */
static void count_busy(void *ctx, size_t which)
{
	const finding *f = ctx;
	const trace_work *w = &f->q->t->work;
	stretch *s = &f->v[which];

	s->reach = INT64_MIN;
	for (size_t i = s->from; i < s->to; i++)
		if (makes_busy(f->q, i)) {
			s->most += w->start[i] > s->reach;
			s->reach = w->end[i] > s->reach ? w->end[i] : s->reach;
		}
}

/* Its intervals.  The work before it ends at s->before. */
static void find_busy(void *ctx, size_t which)
{
	const finding *f = ctx;
	const trace_work *w = &f->q->t->work;
	stretch *s = &f->v[which];
	ival *v = f->q->busy[s->lane].v + s->at;
	int64_t reach = s->before;

	for (size_t i = s->from; i < s->to; i++)
		if (makes_busy(f->q, i)) {
			if (w->start[i] > reach) {
				*(s->n ? &v[s->n - 1].b : &s->before) = reach;
				v[s->n++].a = w->start[i];
			}
			reach = w->end[i] > reach ? w->end[i] : reach;
		}
	*(s->n ? &v[s->n - 1].b : &s->before) = reach;
}

static finding find_stretches(quiet *q, const comm_work *comm)
{
	enum { STRETCH = 1 << 16 };
	finding f = { .q = q };

	for (size_t l = 0; l < q->t->nlanes; l++)
		f.n += q->t->lanes[l].n / STRETCH + 1;
	f.v = mem_new(stretch, f.n);
	f.n = 0;
	for (size_t l = 0; l < q->t->nlanes; l++) {
		size_t end = q->t->lanes[l].first + q->t->lanes[l].n;
		for (size_t i = q->t->lanes[l].first; i < end && (!comm || comm->first[l] < comm->first[l + 1]);
		     i += STRETCH)
			f.v[f.n++] = (stretch){ .lane = l, .from = i, .to = end - i < STRETCH ? end : i + STRETCH };
	}
	return f;
}

static void *make(trace *t, int64_t of)
{
	quiet *q = mem_new(quiet, 1);
	finding f;

	*q = (quiet){ t, (enum quiet_kind)of, mem_new(ival_set, t->nlanes) };
	f = find_stretches(q, of == QUIET_BESIDE_COMM ? comm_work_of(t) : NULL);
	par_do(t->workers, f.n, count_busy, &f);
	for (stretch *s = f.v; s < f.v + f.n; s++) {
		bool first = s == f.v || s[-1].lane != s->lane;
		s->before = first ? INT64_MIN : s[-1].reach;
		s->reach = s->reach > s->before ? s->reach : s->before;
		s->at = q->busy[s->lane].room;
		q->busy[s->lane].room += s->most;
	}
	for (size_t l = 0; l < t->nlanes; l++)
		q->busy[l].v = mem_grow(NULL, q->busy[l].room, sizeof *q->busy[l].v);
	par_do(t->workers, f.n, find_busy, &f);
	for (const stretch *s = f.v; s < f.v + f.n; s++) {
		ival_set *busy = &q->busy[s->lane];
		if (busy->n)            /* the last one may go on in this stretch */
			busy->v[busy->n - 1].b = s->before;
		if (busy->n != s->at)
			memmove(busy->v + busy->n, busy->v + s->at, s->n * sizeof *busy->v);
		busy->n += s->n;
	}
	for (size_t l = 0; l < t->nlanes && of >= QUIET_COMPUTE; l++)
		ival_index(&q->busy[l]);        /* how much of other work it covers is asked often */
	free(f.v);
	return q;
}

static void drop(void *made)
{
	quiet *q = made;

	for (size_t l = 0; l < q->t->nlanes; l++)
		ival_free(&q->busy[l]);
	mem_free(q->busy, q);
}

const quiet *quiet_of(trace *t, enum quiet_kind of)
{
	return trace_keep(t, make, of, drop);
}

/* Index of the first work of the lane that starts at or after the moment. */
static size_t starting_from(const quiet *q, size_t lane, int64_t moment)
{
	const trace_lane *l = &q->t->lanes[lane];
	size_t i;

	search_first(i, l->first, l->first + l->n, q->t->work.start[i] >= moment);
	return i;
}

/* The work that ends the gap: of several that start where it ends, the one launched first.  Calls are in
 * order of start, and NONE is the largest number. */
static uint32_t work_at(const quiet *q, size_t lane, size_t first, int64_t start)
{
	const trace_work *w = &q->t->work;
	size_t end = q->t->lanes[lane].first + q->t->lanes[lane].n;
	uint32_t best = NONE;

	for (size_t i = first; i < end && w->start[i] == start; i++)
		if (makes_busy(q, i) && (best == NONE || (w->launch && w->launch[i] < w->launch[best])))
			best = (uint32_t)i;
	return best;
}

uint32_t quiet_work_at(const quiet *q, size_t lane, int64_t moment)
{
	return work_at(q, lane, starting_from(q, lane, moment), moment);
}

uint32_t quiet_prev(const quiet *q, const quiet_gap *gap)
{
	size_t first = q->t->lanes[gap->lane].first;

	for (size_t i = starting_from(q, gap->lane, gap->a); gap->at && i-- > first;)
		if (makes_busy(q, i) && q->t->work.end[i] == gap->a)
			return (uint32_t)i;
	return NONE;
}

/* Fill in gap number `at`: the one before busy stretch `at`, or after the last one.  False: there is none. */
static bool gap_before(const quiet *q, quiet_gap *gap)
{
	const ival_set *busy = &q->busy[gap->lane];

	if (gap->at > busy->n)
		return false;
	gap->a = gap->at ? busy->v[gap->at - 1].b : INT64_MIN;
	gap->b = gap->at < busy->n ? busy->v[gap->at].a : INT64_MAX;
	gap->next = NONE;
	if (gap->at < busy->n) {
		while (q->t->work.start[gap->work] < gap->b)
			gap->work++;
		gap->next = work_at(q, gap->lane, gap->work, gap->b);
	}
	return true;
}

size_t quiet_after(const quiet *q, size_t lane, int64_t moment)
{
	const ival_set *busy = &q->busy[lane];
	size_t at = ival_after(busy, moment);

	return at < busy->n && busy->v[at].a <= moment ? at + 1 : at;
}

bool quiet_first(const quiet *q, size_t lane, size_t at, quiet_gap *gap)
{
	*gap = (quiet_gap){ .lane = lane, .at = at };
	gap->work = at ? starting_from(q, lane, q->busy[lane].v[at - 1].b) : q->t->lanes[lane].first;
	return gap_before(q, gap);
}

bool quiet_next(const quiet *q, quiet_gap *gap)
{
	gap->at++;
	return gap_before(q, gap);
}
