#include "timeline/process_work.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/load_work.h"

/* Does x end later than y or, at equal ends, start later?  NONE ends before all work. */
static bool process_work_ends_later(const trace_work *w, uint32_t x, uint32_t y)
{
	if (x == NONE || y == NONE)
		return y == NONE && x != NONE;
	return w->end[x] != w->end[y] ? w->end[x] > w->end[y] : w->start[x] > w->start[y];
}

/* The next lane on the GPU (-1: on any), from lane *l on and before lane `end`; *l becomes the lane after it.  NULL:
 * there is none. */
static const trace_lane *process_work_next_lane(const trace *t, size_t *l, size_t end, int64_t gpu)
{
	for (; *l < end; ++*l)
		if (gpu < 0 || t->lanes[*l].gpu == gpu)
			return &t->lanes[(*l)++];
	return NULL;
}

/* The index of the first work of the lane that starts at the moment or later; the end of the lane if there is none. */
static size_t process_work_find_first_starting(const trace *t, const trace_lane *lane, int64_t moment)
{
	size_t i;

	search_first(i, lane->first, lane->first + lane->n, t->work.start[i] >= moment);
	return i;
}

/* The first piece of work in [from,to) that ends at `end`, or NONE. */
static uint32_t process_work_find_first_ending(const trace_work *w, size_t from, size_t to, int64_t end)
{
	for (; from < to; from++)
		if (w->end[from] == end)
			return (uint32_t)from;
	return NONE;
}

/* The last piece of work in [from,to) that ends at `end`, or NONE. */
static uint32_t process_work_find_last_ending(const trace_work *w, size_t from, size_t to, int64_t end)
{
	while (to-- > from)
		if (w->end[to] == end)
			return (uint32_t)to;
	return NONE;
}

/* Among a lane's work before the index `to`, the piece that ends last; at equal ends the one that starts last, and at
 * equal starts the one with the smallest index.  NONE: the lane has no work before `to`. */
static uint32_t process_work_find_last_of_lane(const trace *t, const trace_lane *lane, size_t to)
{
	const trace_work *w = &t->work;
	size_t block = (to - lane->first) / REACH_BLOCK, from = lane->first + block * REACH_BLOCK, first;
	int64_t end = trace_reach_latest_before(&lane->reach, block);
	uint32_t last, found = NONE;

	for (size_t i = from; i < to; i++)
		end = ns_max(end, w->end[i]);
	if (to == lane->first)
		return NONE;
	last = process_work_find_last_ending(w, from, to, end);
	if (last == NONE) {
		from = lane->first + trace_reach_find_before(&lane->reach, block, end - 1) * REACH_BLOCK;
		last = process_work_find_last_ending(w, from, from + REACH_BLOCK, end);
	}
	first = process_work_find_first_starting(t, lane, w->start[last]);
	for (block = (first - lane->first) / REACH_BLOCK; found == NONE; block++) {
		block = trace_reach_find_from(&lane->reach, block, end);
		from = lane->first + block * REACH_BLOCK;
		found = process_work_find_first_ending(
			w, from > first ? from : first,
			last + (size_t)1 < from + REACH_BLOCK ? last + (size_t)1 : from + REACH_BLOCK, end);
	}
	return found;
}

uint32_t process_work_last(const trace *t, uint32_t proc, int64_t gpu, int64_t moment)
{
	size_t end, l = trace_find_lanes(t, proc, &end);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = process_work_next_lane(t, &l, end, gpu));) {
		uint32_t of_lane = process_work_find_last_of_lane(
			t, lane, process_work_find_first_starting(t, lane, moment));
		if (process_work_ends_later(&t->work, of_lane, best))
			best = of_lane;
	}
	return best;
}

uint32_t process_work_next(trace *t, uint32_t proc, int64_t gpu, int64_t moment)
{
	const trace_work *w = &t->work;
	size_t end, l = trace_find_lanes(t, proc, &end);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = process_work_next_lane(t, &l, end, gpu));) {
		size_t first = process_work_find_first_starting(t, lane, moment);
		for (size_t i = first; i < lane->first + lane->n && w->start[i] == w->start[first]; i++)
			if (best == NONE || w->start[i] < w->start[best] ||
			    (w->start[i] == w->start[best] && w->launch[i] < w->launch[best]))
				best = (uint32_t)i;
	}
	return best;
}

/* The index of the call that launched the work.  If the trace does not say which call that was, the index of the last
 * call that had begun when the work started; -1: none had.  A migration is launched by no call and gets NONE, which is
 * larger than every index. */
static int64_t process_work_find_launch(const trace *t, size_t work)
{
	size_t next;

	if (t->work.launch[work] != NONE)
		return t->work.launch[work];
	search_first(next, 0, t->calls.n, t->calls.start[next] > t->work.start[work]);
	return trace_is_migration(t, work) ? NONE : (int64_t)next - 1;
}

typedef struct {                /* the work that process_work_find_in_lane looks for */
	ival span;              /* the work ended after span.a, and at span.b or before */
	uint32_t call;          /* the work was launched before this call; NONE: at any time */
	int64_t start;          /* the work started before this moment */
} process_work_query;

static bool process_work_is_wanted(const trace *t, const process_work_query *query, size_t work)
{
	return t->work.start[work] < query->start &&
		(query->call == NONE || process_work_find_launch(t, work) < query->call);
}

/* The wanted work of a lane that ended last, or NONE.  The search goes back block by block, as long as an earlier block
 * has work that ended later than the piece found so far. */
static uint32_t process_work_find_in_lane(const trace *t, const trace_lane *lane, const process_work_query *query)
{
	const trace_work *w = &t->work;
	int64_t reached = query->span.a;
	uint32_t best = NONE;
	size_t i;

	search_first(i, lane->first, lane->first + lane->n, w->start[i] > query->span.b);
	for (size_t block = (i - lane->first) / REACH_BLOCK; block != SIZE_MAX;) {
		size_t from = lane->first + block * REACH_BLOCK;
		for (i = i < from + REACH_BLOCK ? i : from + REACH_BLOCK; i > from; i--)
			if (w->end[i - 1] > reached && w->end[i - 1] <= query->span.b &&
			    process_work_is_wanted(t, query, i - 1)) {
				best = (uint32_t)i - 1;
				reached = w->end[i - 1];
			}
		block = trace_reach_find_before(&lane->reach, block, reached);
	}
	return best;
}

uint32_t process_work_ended(trace *t, uint32_t proc, ival span, uint32_t call, int64_t start)
{
	size_t last, l = trace_find_lanes(t, proc, &last);
	uint32_t best = NONE;

	for (const trace_lane *lane; (lane = process_work_next_lane(t, &l, last, -1));) {
		uint32_t of_lane = process_work_find_in_lane(t, lane, &(process_work_query){ span, call, start });
		if (process_work_ends_later(&t->work, of_lane, best))
			best = of_lane;
	}
	return best;
}
