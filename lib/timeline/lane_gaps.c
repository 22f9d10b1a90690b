#include "timeline/lane_gaps.h"
#include "base/memory.h"
#include "base/search.h"
#include "timeline/comm_work.h"

#include <string.h>

static inline bool lane_gaps_is_of_kind(const lane_gaps *g, size_t i)
{
	return g->kind == LANE_GAPS_WORK || (g->kind == LANE_GAPS_KERNELS ? g->t->work.kind[i] <= WORK_GRAPH :
		trace_is_compute(g->t, i));
}

static inline bool lane_gaps_makes_busy(const lane_gaps *g, size_t i)
{
	return lane_gaps_is_of_kind(g, i) && g->t->work.end[i] > g->t->work.start[i];
}

static size_t lane_gaps_end_of_lane(const trace *t, size_t lane)
{
	return t->lanes[lane].first + t->lanes[lane].n;
}

/* Cuts a lane into blocks.  allowed: callers may ask for the gaps of the lane; otherwise only the end of the lane gets
 * a block. */
static void lane_gaps_cut_in_blocks(lane_gaps *g, size_t lane, bool allowed)
{
	size_t end = lane_gaps_end_of_lane(g->t, lane), none = SIZE_MAX;
	lane_gaps_block *first = &g->blocks[g->nblocks], *b = first;
	int64_t reach = INT64_MIN;

	g->first[lane] = g->nblocks;
	for (size_t from = g->t->lanes[lane].first; allowed && from < end; from += LANE_GAPS_BLOCK) {
		*b = (lane_gaps_block){ .from = from, .reach = reach, .open = none };
		for (size_t i = from; i < end && i - from < LANE_GAPS_BLOCK; i++)
			if (lane_gaps_makes_busy(g, i)) {
				if (b->open == none && g->t->work.start[i] > reach)
					b->open = i;
				reach = ns_max(reach, g->t->work.end[i]);
			}
		b++;
	}
	*b = (lane_gaps_block){ .from = end, .reach = reach, .open = end };
	g->nblocks = (size_t)(b + 1 - g->blocks);
	while (b-- > first)
		if (b->open == none)
			b->open = b[1].open;
}

static void *lane_gaps_build(trace *t, int64_t kind)
{
	lane_gaps *g = mem_new(lane_gaps, 1);
	const comm_work *comm = kind == LANE_GAPS_BESIDE_COMM ? comm_work_of(t) : NULL;

	*g = (lane_gaps){ .t = t, .kind = (enum lane_gaps_kind)kind };
	g->first = mem_new(size_t, t->nlanes);
	g->blocks = mem_new(lane_gaps_block, t->work.n / LANE_GAPS_BLOCK + t->nlanes * 2);
	for (size_t l = 0; l < t->nlanes; l++)
		lane_gaps_cut_in_blocks(g, l, !comm || comm->first[l] < comm->first[l + 1]);
	g->busy = comm ? mem_new(ival_set, t->nlanes) : NULL;
	for (size_t l = 0; comm && l < t->nlanes; l++)
		if (comm->first[l] < comm->first[l + 1]) {
			g->busy[l] = lane_gaps_busy(g, l);
			ival_index(&g->busy[l]);        /* because ival_within is called often with these sets */
		}
	return g;
}

static void lane_gaps_release(void *made)
{
	lane_gaps *g = made;

	for (size_t l = 0; g->busy && l < g->t->nlanes; l++)
		ival_free(&g->busy[l]);
	mem_free(g->busy, g->blocks, g->first, g);
}

const lane_gaps *lane_gaps_of(trace *t, enum lane_gaps_kind kind)
{
	return trace_keep(t, lane_gaps_build, kind, lane_gaps_release);
}

/* The index of the first work of the lane that starts at the moment or later; the end of the lane if there is none. */
static size_t lane_gaps_find_work_from(const lane_gaps *g, size_t lane, int64_t moment)
{
	const trace_lane *l = &g->t->lanes[lane];
	size_t i;

	search_first(i, l->first, l->first + l->n, g->t->work.start[i] >= moment);
	return i;
}

/* The work of the kind that starts at `start`; if several pieces do, the one launched first.  NONE: there is none.
 * first: an index of trace.work before which the lane has no such work.  Calls are numbered in order of start.  Work
 * without a call has NONE, the largest number, so work with a call comes before it. */
static uint32_t lane_gaps_find_work_at(const lane_gaps *g, size_t lane, size_t first, int64_t start)
{
	const trace_work *w = &g->t->work;
	size_t end = g->t->lanes[lane].first + g->t->lanes[lane].n;
	uint32_t best = NONE;

	for (size_t i = first; i < end && w->start[i] == start; i++)
		if (lane_gaps_makes_busy(g, i) && (best == NONE || (w->launch && w->launch[i] < w->launch[best])))
			best = (uint32_t)i;
	return best;
}

uint32_t lane_gaps_work_at(const lane_gaps *g, size_t lane, int64_t moment)
{
	return lane_gaps_find_work_at(g, lane, lane_gaps_find_work_from(g, lane, moment), moment);
}

uint32_t lane_gaps_work_before(const lane_gaps *g, const lane_gap *gap)
{
	size_t first = g->t->lanes[gap->lane].first;

	for (size_t i = lane_gaps_find_work_from(g, gap->lane, gap->a); gap->a != INT64_MIN && i-- > first;)
		if (lane_gaps_makes_busy(g, i) && g->t->work.end[i] == gap->a)
			return (uint32_t)i;
	return NONE;
}

/* The block of the work i.  If i is the end of the lane: the block of this end, which has no work. */
static const lane_gaps_block *lane_gaps_block_of(const lane_gaps *g, size_t lane, size_t i)
{
	size_t at = i - g->t->lanes[lane].first + (i == lane_gaps_end_of_lane(g->t, lane) ? LANE_GAPS_BLOCK - 1 : 0);

	return &g->blocks[g->first[lane] + at / LANE_GAPS_BLOCK];
}

/* The first work of the lane, from i on, that begins a busy stretch; the end of the lane if there is none.  *reach is
 * the latest end of work of the kind before i, and becomes the latest end of work of the kind before that stretch.
 * Blocks in which no stretch begins are skipped. */
static size_t lane_gaps_go_on_to_busy(const lane_gaps *g, size_t lane, size_t i, int64_t *reach)
{
	size_t first = g->t->lanes[lane].first, end = lane_gaps_end_of_lane(g->t, lane);

	for (; i < end; i++) {
		if ((i - first) % LANE_GAPS_BLOCK == 0) {
			const lane_gaps_block *b = lane_gaps_block_of(g, lane, lane_gaps_block_of(g, lane, i)->open);
			i = b->from;
			*reach = b->reach;
			if (i == end)
				break;
		}
		if (lane_gaps_makes_busy(g, i)) {
			if (g->t->work.start[i] > *reach)
				break;
			*reach = ns_max(*reach, g->t->work.end[i]);
		}
	}
	return i;
}

/* As lane_gaps_go_on_to_busy, but *reach need not be set before the call. */
static size_t lane_gaps_find_busy(const lane_gaps *g, size_t lane, size_t i, int64_t *reach)
{
	const lane_gaps_block *b = lane_gaps_block_of(g, lane, i);

	*reach = b->reach;
	for (size_t k = b->from; k < i; k++)
		if (lane_gaps_makes_busy(g, k))
			*reach = ns_max(*reach, g->t->work.end[k]);
	return lane_gaps_go_on_to_busy(g, lane, i, reach);
}

/* Sets the members at, b and next of the gap.  work: the first work that starts where the gap ends, or the end of
 * the lane. */
static void lane_gaps_set_end(const lane_gaps *g, size_t work, lane_gap *gap)
{
	bool last = work == lane_gaps_end_of_lane(g->t, gap->lane);

	gap->at = work;
	gap->b = last ? INT64_MAX : g->t->work.start[work];
	gap->next = last ? NONE : lane_gaps_find_work_at(g, gap->lane, work, gap->b);
}

static size_t lane_gaps_find_work_after(const lane_gaps *g, size_t lane, int64_t moment)
{
	return moment == INT64_MAX ? lane_gaps_end_of_lane(g->t, lane) : lane_gaps_find_work_from(g, lane, moment + 1);
}

bool lane_gaps_from_work(const lane_gaps *g, size_t lane, size_t work, lane_gap *gap)
{
	*gap = (lane_gap){ .lane = lane };
	if (work > lane_gaps_end_of_lane(g->t, lane))
		return false;
	lane_gaps_set_end(g, lane_gaps_find_busy(g, lane, work, &gap->a), gap);
	return true;
}

bool lane_gaps_from(const lane_gaps *g, size_t lane, int64_t moment, lane_gap *gap)
{
	return lane_gaps_from_work(g, lane, lane_gaps_find_work_after(g, lane, moment), gap);
}

/* Handles the usual case first: the next work begins the next busy stretch, and no other work starts at the same
 * time. */
bool lane_gaps_next(const lane_gaps *g, lane_gap *gap)
{
	const int64_t *start = g->t->work.start;
	size_t end = lane_gaps_end_of_lane(g->t, gap->lane), i = gap->at + 1;

	if (gap->at == end)
		return false;
	gap->a = g->t->work.end[gap->at];
	if (i + 1 < end && start[i] > gap->a && start[i + 1] != start[i] && lane_gaps_makes_busy(g, i)) {
		gap->b = start[i];
		gap->at = i;
		gap->next = (uint32_t)i;
	} else {
		lane_gaps_set_end(g, lane_gaps_go_on_to_busy(g, gap->lane, i, &gap->a), gap);
	}
	return true;
}

ival_set lane_gaps_busy(const lane_gaps *g, size_t lane)
{
	ival_set busy = { 0 };
	lane_gap gap;
	int64_t from = INT64_MAX;

	for (bool more = lane_gaps_from_work(g, lane, g->t->lanes[lane].first, &gap); more;
	     more = lane_gaps_next(g, &gap)) {
		ival_add(&busy, from, gap.a);
		from = gap.b;
	}
	return busy;
}
