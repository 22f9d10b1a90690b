#include "relate/quiet.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"

static bool counts(const quiet *q, size_t i)
{
	return q->of == QUIET_WORK || (q->of == QUIET_KERNELS ? q->t->work.kind[i] <= WORK_GRAPH :
		trace_is_compute(q->t, i));
}

static bool makes_busy(const quiet *q, size_t i)
{
	return counts(q, i) && q->t->work.end[i] > q->t->work.start[i];
}

static void find_busy(void *ctx, size_t l)
{
	quiet *q = ctx;
	const trace *t = q->t;

	for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
		if (counts(q, i))
			ival_add(&q->busy[l], t->work.start[i], t->work.end[i]);
	ival_fit(&q->busy[l]);
	if (q->of == QUIET_COMPUTE)     /* how much of other work it covers is asked often */
		ival_index(&q->busy[l]);
}

static void *make(trace *t, int64_t of)
{
	quiet *q = mem_new(quiet, 1);

	*q = (quiet){ t, (enum quiet_kind)of, mem_new(ival_set, t->nlanes) };
	par_do(t->workers, t->nlanes, find_busy, q);
	return q;
}

static void drop(void *made)
{
	quiet *q = made;

	for (size_t l = 0; l < q->t->nlanes; l++)
		ival_free(&q->busy[l]);
	free(q->busy);
	free(q);
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
