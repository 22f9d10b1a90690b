#include "launch/waiting_calls.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/call_class.h"

static void *waiting_calls_build(trace *t, int64_t unused UNNEEDED)
{
	const trace_calls *c = &t->calls;
	waiting_calls *w = mem_new(waiting_calls, 1);
	vec(uint32_t) calls = { 0 }, threads = { 0 };
	uint32_t *order;

	for (size_t i = 0; i < c->n; i++)
		if (calls_class(c, i) == CALL_SYNC) {
			vec_push(&calls, (uint32_t)i);
			vec_push(&threads, calls_thread(c, i));
		}
	*w = (waiting_calls){ t, mem_new(size_t, t->nthreads + 1), calls.v, mem_new(int64_t, calls.n) };
	order = sort_groups(threads.v, calls.n, t->nthreads, w->first);
	sort_apply(w->calls, order, calls.n);
	for (size_t th = 0; th < t->nthreads; th++)
		for (size_t i = w->first[th]; i < w->first[th + 1]; i++)
			w->until[i] = ns_max(c->end[w->calls[i]], i > w->first[th] ? w->until[i - 1] : INT64_MIN);
	mem_free(order, threads.v);
	return w;
}

static void waiting_calls_release(void *made)
{
	waiting_calls *w = made;

	mem_free(w->first, w->calls, w->until, w);
}

const waiting_calls *waiting_calls_of(trace *t)
{
	return trace_keep(t, waiting_calls_build, 0, waiting_calls_release);
}

bool waiting_calls_at(const waiting_calls *w, uint32_t thread, int64_t moment, int64_t deadline, size_t *from)
{
	const trace_calls *c = &w->t->calls;
	size_t i;

	search_near(i, *from, w->first[thread], w->first[thread + 1], c->start[w->calls[i]] > moment);
	*from = i;
	for (; i > w->first[thread] && w->until[i - 1] > moment; i--) {
		int64_t end = c->end[w->calls[i - 1]];
		if (end > moment && end <= deadline)
			return true;
	}
	return false;
}
