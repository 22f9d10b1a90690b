#include "answer/api_launches.h"
#include "trace/call_class.h"

enum { SMALL_NS = 10000 };

/* The kernels and graphs of call c: of[first[c]] up to of[first[c + 1]], in the order of work. */
struct api_launches {
	const trace *t;
	uint32_t *first, *of;
};

static bool counts(const trace *t, size_t work)
{
	return t->work.launch[work] != NONE && t->work.kind[work] <= WORK_GRAPH;
}

api_launches *api_launches_build(const trace *t)
{
	api_launches *l = mem_new(api_launches, 1);

	*l = (api_launches){ t, mem_new(uint32_t, t->calls.n + 2), mem_new(uint32_t, t->work.n) };
	for (size_t i = 0; i < t->work.n; i++)
		if (counts(t, i))
			l->first[t->work.launch[i] + 2]++;
	for (size_t i = 0; i < t->calls.n; i++)
		l->first[i + 2] += l->first[i + 1];
	for (size_t i = 0; i < t->work.n; i++)
		if (counts(t, i))
			l->of[l->first[t->work.launch[i] + 1]++] = (uint32_t)i;
	return l;
}

void api_launches_free(api_launches *l)
{
	free(l->first);
	free(l->of);
	free(l);
}

typedef struct {
	stats call, queue, latency, kernel;
	int64_t small;
} adding;

static void add_launch(const api_launches *l, const window *w, size_t call, adding *to)
{
	const trace *t = l->t;
	int64_t first = INT64_MAX;

	stats_add(&to->call, 0, ival_within(&w->cpu, t->calls.start[call], t->calls.end[call]));
	for (uint32_t k = l->first[call]; k < l->first[call + 1]; k++) {
		uint32_t i = l->of[k];
		int64_t dur = t->work.end[i] - t->work.start[i];
		first = t->work.start[i] < first ? t->work.start[i] : first;
		if (t->work.kind[i] == WORK_KERNEL) {
			stats_add(&to->kernel, 0, dur);
			to->small += dur < SMALL_NS;
		}
	}
	if (first != INT64_MAX) {
		stats_add(&to->queue, 0, first - t->calls.end[call]);
		stats_add(&to->latency, 0, first - t->calls.start[call]);
	}
}

static stats_sum finish(stats *s, int threads)
{
	stats_sum *sum = stats_finish(s, 1, threads), one = *sum;

	free(sum);
	return one;
}

bool api_launches_of(const api_launches *l, const window *w, uint32_t proc, api_launch_sums *sums)
{
	const trace *t = l->t;
	const trace_calls *c = &t->calls;
	adding to = { 0 };
	size_t lo, hi;

	window_calls(t, &w->cpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (c->class[i] == CALL_LAUNCH && t->threads[c->thread[i]].proc == proc &&
		    window_has(w, &w->cpu, c->start[i], c->end[i]))
			add_launch(l, w, i, &to);
	*sums = (api_launch_sums){ finish(&to.call, t->workers), finish(&to.queue, t->workers),
		finish(&to.latency, t->workers), finish(&to.kernel, t->workers), to.small };
	return sums->call.count;
}
