#include "launch/launched.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "launch/projection.h"
#include "trace/call_class.h"

#include <string.h>

struct launched {
	const trace *t;
	const projection *p;
	bool *replays;          /* by kind of call: does it replay a CUDA graph? */
};

static void *launched_build(trace *t, int64_t unused UNNEEDED)
{
	launched *l = mem_new(launched, 1);

	*l = (launched){ .t = t, .p = projection_order(t), .replays = mem_new(bool, t->calls.nkinds) };
	for (size_t i = 0; i < t->calls.nkinds; i++)
		l->replays[i] = t->calls.kinds[i].name != STR_NONE &&
			call_is_cuda_or_hip(str_at(&t->names, t->calls.kinds[i].name)) &&
			call_replays_graph(str_at(&t->names, t->calls.kinds[i].name));
	return l;
}

static void launched_release(void *made)
{
	launched *l = made;

	mem_free(l->replays, l);
}

const launched *launched_of(trace *t)
{
	return trace_keep(t, launched_build, 0, launched_release);
}

const uint32_t *launched_by(const launched *l, uint32_t call, size_t *n)
{
	const trace *t = l->t;
	size_t first, end, nwork;
	const uint32_t *work = projection_launched(l->p, t->threads[calls_thread(&t->calls, call)].proc, &nwork);

	search_first(first, 0, nwork, t->work.launch[work[first]] >= call);
	for (end = first; end < nwork && t->work.launch[work[end]] == call;)
		end++;
	*n = end - first;
	return work + first;
}

bool launched_replays(const launched *l, uint32_t call)
{
	return l->replays[l->t->calls.kind[call]];
}

int64_t launched_issued(const launched *l, size_t work)
{
	const trace *t = l->t;
	uint32_t call = t->work.launch[work], lead = (uint32_t)work;

	if (call == NONE)
		return INT64_MIN;
	if (launched_replays(l, call))
		lead = launched_by(l, call, &(size_t){ 0 })[0];
	return ns_min(t->work.start[lead], t->calls.end[call]);
}

static int launched_compare_ends(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_work *w = ctx;

	return w->end[a] != w->end[b] ? sort_3way(w->end[a], w->end[b]) : trace_compare_starts(a, b, ctx);
}

/* The work in order of end.  This is mostly the order of start as well, and then `work` itself is returned; otherwise a
 * copy in `room` is sorted. */
static const uint32_t *launched_sort_by_end(const trace_work *w, const uint32_t *work, size_t n, uint32_t *room)
{
	int64_t last = INT64_MIN;
	size_t i;

	for (i = 0; i < n && w->end[work[i]] >= last; i++)
		last = w->end[work[i]];
	if (i == n)
		return work;
	memcpy(room, work, n * sizeof *work);
	sort_items(room, n, launched_compare_ends, w);
	return room;
}

/* Walks through two lists in parallel: the work in order of start, and in order of end. */
void launched_find_replayed(const launched *l, const uint32_t *work, size_t n, uint32_t *replayed, uint32_t *room)
{
	const trace_work *w = &l->t->work;
	const uint32_t *ended = launched_sort_by_end(w, work, n, room);
	int64_t end = w->end[ended[0]];
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t at = w->start[work[i]];
		while (k < n && end <= at && w->start[ended[k]] < at)
			end = ++k < n ? w->end[ended[k]] : end;
		replayed[i] = k ? ended[k - 1] : NONE;
	}
}
