#include "picture/small_streams.h"
#include "base/search.h"

typedef struct {
	size_t stream;          /* counted as small_streams does */
	int64_t time;
} stream_time;

static int most_time(const void *x, const void *y)
{
	const stream_time *p = x, *q = y;

	return p->time != q->time ? (p->time < q->time) - (p->time > q->time) :
		(p->stream > q->stream) - (p->stream < q->stream);
}

static small_streams streams_of(const trace *t, const trace_lane *lane)
{
	small_streams k = { 0 };
	size_t end;

	search_first(k.first, 0, t->nstreams, t->streams[k.first].proc > lane->proc ||
		     (t->streams[k.first].proc == lane->proc && t->streams[k.first].gpu >= lane->gpu));
	search_first(end, k.first, t->nstreams, t->streams[end].proc > lane->proc || t->streams[end].gpu > lane->gpu);
	k.n = end - k.first;
	k.small = mem_new(bool, k.n);
	return k;
}

small_streams small_find(const trace *t, size_t lane, const shown_side *side)
{
	small_streams k = streams_of(t, &t->lanes[lane]);
	stream_time *v = mem_new(stream_time, k.n);
	int64_t total = 0;
	size_t lo, hi, last = 0;

	for (size_t s = 0; s < k.n; s++)
		v[s].stream = s;
	window_work(t, &t->lanes[lane], &side->parts, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (shown_has(side, t->work.start[i], t->work.end[i])) {
			int64_t ns = ival_within(&side->parts, t->work.start[i], t->work.end[i]);
			int64_t *time = &v[t->work.stream[i] - k.first].time;
			ns += !ns;              /* so that 0 means no work */
			*time = ns_add(*time, ns);
			total = ns_add(total, ns);
		}
	if (k.n)
		qsort(v, k.n, sizeof *v, most_time);
	for (size_t i = SMALL_OWN; i < k.n && v[i].time; i++)
		if (v[i].time <= (total - 1) / 100) {
			k.small[v[i].stream] = true;
			k.shared++;
			last = v[i].stream;
		}
	if (k.shared == 1) {
		k.small[last] = false;
		k.shared = 0;
	}
	free(v);
	return k;
}

void small_free(small_streams *k)
{
	free(k->small);
}
