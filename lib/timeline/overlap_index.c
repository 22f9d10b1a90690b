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
	overlap_index k = {
		n, sort_all(n, overlap_index_compare_starts, v), mem_new(int64_t, n), mem_new(int64_t, n), { 0 }
	};

	for (size_t i = 0; i < n; i++) {
		k.start[i] = v[k.which[i]].a;
		k.end[i] = v[k.which[i]].b;
	}
	k.reach = trace_reach_build(k.end, n);
	return k;
}

void overlap_index_find(const overlap_index *k, ival in, overlap_hits *to)
{
	size_t last;

	to->n = 0;
	search_first(last, 0, k->n, k->start[last] >= in.b);
	for (size_t i = 0; i < last; i++) {
		if (i % REACH_BLOCK == 0) {
			size_t block = trace_reach_find_from(&k->reach, i / REACH_BLOCK, in.a);
			if (block == SIZE_MAX || block * REACH_BLOCK >= last)
				break;
			i = block * REACH_BLOCK;
		}
		if (k->end[i] >= in.a)
			vec_push(to, k->which[i]);
	}
	sort_numbers(to->v, to->n);
}

void overlap_index_free(overlap_index *k)
{
	mem_free(k->which, k->start, k->end, k->reach.latest);
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
	overlap_index *k = mem_new(overlap_index, 1);

	for (size_t i = 0; i < r->n; i++)
		v[i] = (ival){ r->start[i], r->end[i] };
	*k = overlap_index_build(v, r->n);
	free(v);
	return k;
}

const overlap_index *overlap_index_of_startend(trace *t)
{
	return trace_keep(t, overlap_index_build_startend, 0, overlap_index_release);
}
