#include "timeline/overlap_index.h"
#include "base/search.h"
#include "base/sort.h"

static int overlap_index_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const ival *v = ctx;

	return sort_3way(v[a].a, v[b].a);
}

overlap_index overlap_index_build(const ival *v, size_t n)
{
	overlap_index index = {
		n, sort_all(n, overlap_index_compare_starts, v), mem_new(int64_t, n), mem_new(int64_t, n), { 0 }
	};

	for (size_t i = 0; i < n; i++) {
		index.start[i] = v[index.which[i]].a;
		index.end[i] = v[index.which[i]].b;
	}
	index.reach = trace_reach_build(index.end, n);
	return index;
}

void overlap_index_find(const overlap_index *index, ival w, overlap_hits *hits)
{
	size_t last;

	hits->n = 0;
	search_first(last, 0, index->n, index->start[last] >= w.b);
	for (size_t i = 0; i < last; i++) {
		if (i % REACH_BLOCK == 0) {
			size_t block = trace_reach_find_from(&index->reach, i / REACH_BLOCK, w.a);
			if (block == SIZE_MAX || block * REACH_BLOCK >= last)
				break;
			i = block * REACH_BLOCK;
		}
		if (index->end[i] >= w.a)
			vec_push(hits, index->which[i]);
	}
	sort_numbers(hits->v, hits->n);
}

void overlap_index_free(overlap_index *index)
{
	mem_free(index->which, index->start, index->end, index->reach.latest);
}

static void overlap_index_release(void *made)
{
	overlap_index_free(made);
	free(made);
}

static void *overlap_index_build_startend(trace *t, int64_t unused UNNEEDED)
{
	const trace_ranges *r = &t->startend;
	ival *v = mem_new(ival, r->n);
	overlap_index *index = mem_new(overlap_index, 1);

	for (size_t i = 0; i < r->n; i++)
		v[i] = (ival){ r->start[i], r->end[i] };
	*index = overlap_index_build(v, r->n);
	free(v);
	return index;
}

const overlap_index *overlap_index_of_startend(trace *t)
{
	return trace_keep(t, overlap_index_build_startend, 0, overlap_index_release);
}
