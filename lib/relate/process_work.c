#include "relate/process_work.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/load_work.h"

enum { NEAR_BLOCKS = 8 };       /* of REACH_BLOCK that are looked through before all work is put in order by end */

/* Is x to be preferred to y, either of which may be NONE? */
static bool later(const trace_work *w, uint32_t x, uint32_t y)
{
	if (x == NONE || y == NONE)
		return y == NONE && x != NONE;
	return work_end(w, x) != work_end(w, y) ? work_end(w, x) > work_end(w, y) : w->start[x] > w->start[y];
}

/* The next lane on the GPU, from lane l on; NULL if there is none. */
static const trace_lane *lane_from(const trace *t, size_t *l, size_t end, int64_t gpu)
{
	for (; *l < end; ++*l)
		if (gpu < 0 || t->lanes[*l].gpu == gpu)
			return &t->lanes[(*l)++];
	return NULL;
}

/* The first work of the lane that starts at the moment or later. */
static size_t starting_from(const trace *t, const trace_lane *lane, int64_t moment)
{
	size_t i;

	search_first(i, lane->first, lane->first + lane->n, t->work.start[i] >= moment);
	return i;
}

/* Of the work [from,to) the first that ends then; NONE: none does. */
static uint32_t first_ending(const trace_work *w, size_t from, size_t to, int64_t end)
{
	for (; from < to; from++)
		if (work_end(w, from) == end)
			return (uint32_t)from;
	return NONE;
}

/* The last one that does. */
static uint32_t last_ending(const trace_work *w, size_t from, size_t to, int64_t end)
{
	while (to-- > from)
		if (work_end(w, to) == end)
			return (uint32_t)to;
	return NONE;
}

/* What ends last of a lane's work before `to`; of several the one that starts last, and of these the first. */
static uint32_t lane_last(const trace *t, const trace_lane *lane, size_t to)
{
	const trace_work *w = &t->work;
	size_t block = (to - lane->first) / REACH_BLOCK, from = lane->first + block * REACH_BLOCK, first;
	int64_t end = trace_reach_before(&lane->reach, block);
	uint32_t last, found = NONE;

	for (size_t i = from; i < to; i++)
		end = ns_max(end, work_end(w, i));
	if (to == lane->first)
		return NONE;
	last = last_ending(w, from, to, end);
	if (last == NONE) {
		from = lane->first + trace_reaching_before(&lane->reach, block, end - 1) * REACH_BLOCK;
		last = last_ending(w, from, from + REACH_BLOCK, end);
	}
	first = starting_from(t, lane, w->start[last]);
	for (block = (first - lane->first) / REACH_BLOCK; found == NONE; block++) {
		block = trace_reaching(&lane->reach, block, end);
		from = lane->first + block * REACH_BLOCK;
		found = first_ending(w, from > first ? from : first, last + (size_t)1 < from + REACH_BLOCK ?
				     last + (size_t)1 : from + REACH_BLOCK, end);
	}
	return found;
}

uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment)
{
	size_t end, l = trace_lanes(t, proc, &end);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = lane_from(t, &l, end, gpu));) {
		uint32_t of_lane = lane_last(t, lane, starting_from(t, lane, moment));
		if (later(&t->work, of_lane, best))
			best = of_lane;
	}
	return best;
}

uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment)
{
	const trace_work *w = &t->work;
	size_t end, l = trace_lanes(t, proc, &end);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = lane_from(t, &l, end, gpu));) {
		size_t first = starting_from(t, lane, moment);
		for (size_t i = first; i < lane->first + lane->n && w->start[i] == w->start[first]; i++)
			if (best == NONE || w->start[i] < w->start[best] ||
			    (w->start[i] == w->start[best] && w->launch[i] < w->launch[best]))
				best = (uint32_t)i;
	}
	return best;
}

static int by_end(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_work *w = ctx;

	return work_end(w, a) != work_end(w, b) ? sort_3way(work_end(w, a), work_end(w, b)) :
		sort_3way(w->start[a], w->start[b]);
}

typedef struct {
	const trace *t;
	uint32_t *sorted;
} sorting;

static void sort_lane(void *ctx, size_t which)
{
	const sorting *s = ctx;
	const trace_lane *l = &s->t->lanes[which];

	for (size_t i = l->first; i < l->first + l->n; i++)
		s->sorted[i] = (uint32_t)i;
	sort_items(s->sorted + l->first, l->n, by_end, &s->t->work);
}

/* The work of each lane by end, then start. */
static void *sort_by_end(trace *t, int64_t unused UNNEEDED)
{
	sorting s = { t, mem_grow(NULL, t->work.n, sizeof *s.sorted) };

	par_do(t->workers, t->nlanes, sort_lane, &s);
	return s.sorted;
}

static const uint32_t *by_end_of(trace *t)
{
	return trace_keep(t, sort_by_end, 0, free);
}

/* The call that launched it or, if the trace does not say, the last one that had begun when it started; NONE: it is a
 * migration, which no call launches. */
static int64_t launch_of(const trace *t, size_t work)
{
	size_t next;

	if (t->work.launch[work] != NONE)
		return t->work.launch[work];
	search_first(next, 0, t->calls.n, t->calls.start[next] > t->work.start[work]);
	return trace_is_migration(t, work) ? NONE : (int64_t)next - 1;
}

typedef struct {
	size_t n;
	trace_reach of[];       /* by lane: of its work in order of end, the number of its call, negated */
} launches;

static void drop_launches(void *made)
{
	launches *all = made;

	for (size_t i = 0; i < all->n; i++)
		free(all->of[i].latest);
	free(all);
}

static void *find_launches(trace *t, int64_t unused UNNEEDED)
{
	const uint32_t *sorted = by_end_of(t);
	launches *all = mem_grow(NULL, 1, sizeof *all + t->nlanes * sizeof *all->of);
	int64_t *less = mem_grow(NULL, t->work.n, sizeof *less);

	all->n = t->nlanes;
	for (size_t i = 0; i < t->work.n; i++)
		less[i] = -launch_of(t, sorted[i]);
	for (size_t i = 0; i < t->nlanes; i++)
		all->of[i] = trace_reach_of(less + t->lanes[i].first, t->lanes[i].n);
	free(less);
	return all;
}

typedef struct {                /* what is asked for */
	ival in;
	uint32_t call;          /* launched before that; NONE: or not, */
	int64_t start;          /* and started before this */
} asked;

static bool fits(const trace *t, const asked *a, size_t work)
{
	return t->work.start[work] < a->start && (a->call == NONE || launch_of(t, work) < a->call);
}

/* What is asked for of a lane, if it is among what started last before in.b, as it mostly is.  False: it may not be. */
static bool ended_near(const trace *t, const trace_lane *lane, const asked *a, uint32_t *best)
{
	const trace_work *w = &t->work;
	int64_t reached = a->in.a;
	size_t i;

	*best = NONE;
	search_first(i, lane->first, lane->first + lane->n, w->start[i] > a->in.b);
	for (size_t left = NEAR_BLOCKS, block = (i - lane->first) / REACH_BLOCK; block != SIZE_MAX; left--) {
		size_t from = lane->first + block * REACH_BLOCK;
		if (!left)
			return false;
		for (i = i < from + REACH_BLOCK ? i : from + REACH_BLOCK; i > from; i--)
			if (work_end(w, i - 1) > reached && work_end(w, i - 1) <= a->in.b && fits(t, a, i - 1)) {
				*best = (uint32_t)i - 1;
				reached = work_end(w, i - 1);
			}
		block = trace_reaching_before(&lane->reach, block, reached);
	}
	return true;
}

/* Of the first i pieces of a lane's work by end, the number up to the last one that fits.  Blocks in which all was
 * launched later are skipped. */
static size_t up_to_fitting(trace *t, const trace_lane *lane, const asked *a, const uint32_t *sorted, size_t i)
{
	const launches *all = a->call == NONE ? NULL : trace_keep(t, find_launches, 0, drop_launches);
	size_t block = i / REACH_BLOCK;

	while (block != SIZE_MAX) {
		for (; i > block * REACH_BLOCK; i--)
			if (fits(t, a, sorted[lane->first + i - 1]))
				return i;
		if (all)
			block = trace_reaching_before(&all->of[lane - t->lanes], block, -(int64_t)a->call);
		else
			block--;        /* after the first comes SIZE_MAX */
		i = (block + 1) * REACH_BLOCK;
	}
	return 0;
}

static uint32_t ended(trace *t, const trace_lane *lane, const asked *a)
{
	const trace_work *w = &t->work;
	const uint32_t *sorted;
	uint32_t best;
	size_t i;

	if (ended_near(t, lane, a, &best))
		return best;
	sorted = by_end_of(t);
	search_first(i, 0, lane->n, work_end(w, sorted[lane->first + i]) > a->in.b);
	i = up_to_fitting(t, lane, a, sorted, i);
	return i && work_end(w, sorted[lane->first + i - 1]) > a->in.a ? sorted[lane->first + i - 1] : NONE;
}

uint32_t process_work_ended(trace *t, uint32_t proc, ival in, uint32_t call, int64_t start)
{
	size_t last, l = trace_lanes(t, proc, &last);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = lane_from(t, &l, last, -1));) {
		uint32_t of_lane = ended(t, lane, &(asked){ in, call, start });
		if (later(&t->work, of_lane, best))
			best = of_lane;
	}
	return best;
}
