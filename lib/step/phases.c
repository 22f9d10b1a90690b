#include "step/phases.h"
#include "base/dict.h"
#include "base/stats.h"

#include <stdlib.h>

/* Sets the end of each step: that of the longest range that starts when the step starts and lies in its CPU side.
 * first: by key of `starts`, the first step that starts at that moment.  next: by step, the next step that starts at
 * the same moment, such as the same step on another GPU; SIZE_MAX: there is none. */
static void phases_set_ends(const trace *t, const trace_ranges *r, const windows *steps, const dict *starts,
			    const size_t *first, const size_t *next, int64_t *end)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t k = dict_find(starts, r->start[i]);
		for (size_t w = k == DICT_NONE ? SIZE_MAX : first[k]; w != SIZE_MAX; w = next[w])
			if (t->threads[ranges_thread(r, i)].proc == steps->v[w].proc &&
			    r->end[i] <= window_hull(&steps->v[w].cpu).b &&
			    (end[w] == INT64_MAX || r->end[i] > end[w]))
				end[w] = r->end[i];
	}
}

int64_t *phases_ends(const trace *t, const windows *steps)
{
	int64_t *end = mem_new(int64_t, steps->n);
	size_t *first = mem_new(size_t, steps->n), *next = mem_new(size_t, steps->n);
	dict starts = { 0 };

	for (size_t i = steps->n; i-- > 0;) {
		size_t known = starts.n;
		uint32_t key = dict_key(&starts, window_hull(&steps->v[i].cpu).a);
		end[i] = INT64_MAX;
		next[i] = key < known ? first[key] : SIZE_MAX;
		first[key] = i;
	}
	phases_set_ends(t, &t->pushpop, steps, &starts, first, next, end);
	phases_set_ends(t, &t->startend, steps, &starts, first, next, end);
	dict_free(&starts);
	mem_free(first, next);
	return end;
}

typedef struct {
	int64_t inside;         /* the number of other kernels that were launched in the window; as in `behind`, kernels
				 * that communicate do not count */
	int64_t behind;         /* the number of kernels launched after the step's range, up to the next step */
	ival at;                /* from the first start to the last end of the kernels counted in `behind` */
} phases_counts;

static phases_counts phases_count_launched(const trace *t, const window *w, size_t lane, int64_t range_end)
{
	phases_counts l = { .at = IVAL_NOWHERE };
	size_t lo, hi;

	window_find_starting(t, &t->lanes[lane], &w->gpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		uint32_t call = t->work.launch[i];
		bool kernel = t->work.kind[i] == WORK_KERNEL || t->work.kind[i] == WORK_GRAPH;
		if (!kernel || trace_is_comm(t, i) || call == NONE ||
		    !ival_within(&w->gpu, t->work.start[i], t->work.start[i] + 1))
			continue;
		if (t->calls.start[call] < range_end || t->calls.start[call] >= window_hull(&w->cpu).b) {
			l.inside++;
			continue;
		}
		l.behind++;
		l.at = ival_hull(l.at, (ival){ t->work.start[i], t->work.end[i] });
	}
	return l;
}

ival *phases_between(const trace *t, const windows *steps, const size_t *indices, size_t n, const int64_t *ends,
		     size_t lane)
{
	ival *between = mem_new(ival, n);
	phases_counts *l = mem_new(phases_counts, n);
	stats st = { 0 };
	stats_summary *usual;

	for (size_t i = 0; i < n; i++) {
		l[i] = phases_count_launched(t, &steps->v[indices[i]], lane, ends[indices[i]]);
		stats_add(&st, 0, l[i].inside);
		stats_add(&st, 1, l[i].behind);
	}
	usual = stats_finish(&st, 2);
	for (size_t i = 0; i < n; i++)
		if (l[i].behind && l[i].behind > 2 * usual[1].p50 && 2 * l[i].behind >= usual[0].p50)
			between[i] = l[i].at;
	mem_free(usual, l);
	return between;
}
