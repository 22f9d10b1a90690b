#include "answer/api_launches.h"
#include "relate/launched.h"
#include "trace/call_class.h"

enum { SMALL_NS = 10000 };

typedef struct {
	stats call, queue, latency, kernel;
	int64_t small;
} adding;

static void add_launch(const trace *t, const launched *l, const window *w, size_t call, adding *to)
{
	int64_t first = INT64_MAX;
	size_t n;
	const uint32_t *of = launched_by(l, (uint32_t)call, &n);

	stats_add(&to->call, 0, ival_within(&w->cpu, t->calls.start[call], t->calls.end[call]));
	for (size_t k = 0; k < n; k++) {
		uint32_t i = of[k];
		int64_t dur = t->work.end[i] - t->work.start[i];
		if (t->work.kind[i] > WORK_GRAPH)
			continue;
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

bool api_launches_of(trace *t, const window *w, uint32_t proc, bool count, api_launch_sums *sums)
{
	const trace_calls *c = &t->calls;
	const launched *l = count ? NULL : launched_of(t);
	adding to = { 0 };
	size_t lo, hi, n = 0;

	window_calls(t, &w->cpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (c->class[i] == CALL_LAUNCH && t->threads[c->thread[i]].proc == proc &&
		    window_has(w, &w->cpu, c->start[i], c->end[i])) {
			n++;
			if (!count)
				add_launch(t, l, w, i, &to);
		}
	*sums = (api_launch_sums){ .call.count = (int64_t)n };
	if (!count)
		*sums = (api_launch_sums){ finish(&to.call, t->workers), finish(&to.queue, t->workers),
			finish(&to.latency, t->workers), finish(&to.kernel, t->workers), to.small };
	return n;
}
