#include "launch/held_back.h"
#include "base/memory.h"
#include "launch/depends.h"
#include "launch/kernel_shape.h"
#include "launch/projection.h"
#include "trace/stream_kinds.h"

typedef struct {
	trace *t;
	const depends *d;
	const launched *launched;
	enum stream_kind *kinds;
	gpu_model *gpus;        /* by lane */
	uint32_t *head;         /* by work: among the work that its process launched before, the piece that starts last;
				 * NONE if there is none, or if each stream has a queue of its own.  NULL: the number of
				 * queues is unknown */
	uint32_t *last;         /* by stream: its last work, in the order of trace.work, before the piece that is looked
				 * at; or NONE */
	held_back *to;
} held_ctx;

/* Fills `head`.  If a process has more streams than queues (connections), its work may wait in a queue behind any work
 * that was launched before. */
static void held_back_find_heads(held_ctx *h)
{
	trace *t = h->t;
	int64_t connections = stream_count_connections(t);

	if (connections == TRACE_UNKNOWN)
		return;
	h->head = mem_none(uint32_t, t->work.n);
	for (uint32_t p = 0; p < t->nprocs; p++) {
		size_t n, streams_end, streams = trace_find_streams(t, p, &streams_end);
		const uint32_t *work = projection_launched(projection_order(t), p, &n);
		uint32_t latest = NONE;
		for (size_t i = 0; i < n && (int64_t)(streams_end - streams) > connections; i++) {
			h->head[work[i]] = latest;
			if (latest == NONE || t->work.start[work[i]] > t->work.start[latest])
				latest = work[i];
		}
	}
}

/* Does the work start at most HELD_LEAST_NS after the other work ends?  early: a start at most HELD_LEAST_NS before
 * that end counts, too. */
static bool held_back_follows(const trace *t, size_t work, uint32_t other, bool early)
{
	int64_t after = t->work.start[work] - t->work.end[other];

	return after <= HELD_LEAST_NS && after >= (early ? -HELD_LEAST_NS : 0);
}

/* The work may wait for events.  Among the work of other streams that had to end for these, finds the piece that ends
 * last, if it ends after the work was ready. */
static void held_back_find_event(const held_ctx *h, held_back_wait *w)
{
	const trace *t = h->t;

	for (const depends_wait *e = depends_waits(h->d, w->work); e; e = depends_next(e)) {
		uint32_t other = e->on.work;
		if (other == NONE || t->work.stream[other] == t->work.stream[w->work] ||
		    t->work.start[other] > t->work.start[w->work] || t->work.end[other] <= w->until)
			continue;
		w->behind = other;
		w->until = t->work.end[other];
		w->why = HELD_EVENT;
	}
}

/* Makes *w a wait for `other`, if the default stream is the reason, and if `other` ends later than what *w waits for so
 * far.  held_back_try_kernel does so if `other` is a kernel at whose end the work starts. */
static void held_back_try_default_stream(const held_ctx *h, size_t lane UNNEEDED, held_back_wait *w, uint32_t other)
{
	const trace *t = h->t;
	enum stream_kind a = h->kinds[t->work.stream[w->work]], b = h->kinds[t->work.stream[other]];

	if (((a == STREAM_DEFAULT && b == STREAM_BLOCKING) || (a == STREAM_BLOCKING && b == STREAM_DEFAULT)) &&
	    t->work.launch[other] < t->work.launch[w->work] && t->work.end[other] > w->until &&
	    held_back_follows(t, w->work, other, false)) {
		w->behind = other;
		w->until = t->work.end[other];
		w->why = HELD_DEFAULT;
	}
}

static void held_back_try_kernel(const held_ctx *h, size_t lane, held_back_wait *w, uint32_t other)
{
	const trace *t = h->t;
	kernel_shape_fit fit;

	if (t->work.kind[w->work] != WORK_KERNEL || t->work.kind[other] != WORK_KERNEL ||
	    t->work.start[other] > w->from + HELD_LEAST_NS || t->work.end[other] <= w->until ||
	    !held_back_follows(t, w->work, other, true))
		return;
	fit = kernel_shape_compute_fit(t, &t->work.types.v[t->work.type[other]], &h->gpus[lane]);
	if (!(fit.waves >= 1) && !held_back_follows(t, w->work, other, false))
		return;
	w->behind = other;
	w->until = t->work.end[other];
	w->why = fit.waves >= 1 ? HELD_FULL : HELD_UNKNOWN;
}

typedef void held_back_rule(const held_ctx *h, size_t lane, held_back_wait *w, uint32_t other);

/* Applies a rule (one of the two functions above) to every other stream of the process on this GPU: to its last work so
 * far, and to the work before that. */
static void held_back_try_streams(const held_ctx *h, size_t lane, held_back_wait *w, held_back_rule *rule)
{
	const trace *t = h->t;
	size_t end, s = trace_find_streams(t, t->lanes[lane].proc, &end);

	for (; s < end; s++) {
		uint32_t before = h->last[s] == NONE ? NONE : depends_previous(h->d, h->last[s]);
		if (t->streams[s].gpu != t->lanes[lane].gpu || s == t->work.stream[w->work])
			continue;
		if (h->last[s] != NONE)
			rule(h, lane, w, h->last[s]);
		if (before != NONE)
			rule(h, lane, w, before);
	}
}

/* Adds the wait of a piece of work, with the first reason that applies, if it lasted at least HELD_LEAST_NS. */
static void held_back_add_wait(const held_ctx *h, size_t lane, uint32_t work)
{
	const trace *t = h->t;
	int64_t start = t->work.start[work];
	uint32_t before = depends_previous(h->d, work), head = h->head ? h->head[work] : NONE;
	int64_t ready = before == NONE ? INT64_MIN : t->work.end[before];
	held_back_wait w = { .work = work, .behind = NONE };

	if (t->work.launch[work] == NONE || launched_replays(h->launched, t->work.launch[work]) ||
	    depends_streamless(h->d, work))
		return;
	w.from = w.until = ns_max(ready, launched_issued(h->launched, work));
	if (start - w.from < HELD_LEAST_NS)
		return;
	held_back_find_event(h, &w);
	if (w.behind == NONE)
		held_back_try_streams(h, lane, &w, held_back_try_default_stream);
	if (w.behind == NONE && head != NONE && t->work.start[head] > w.from && t->work.start[head] <= start) {
		w.behind = head;
		w.until = t->work.start[head];
		w.why = HELD_QUEUE;
	}
	if (w.behind == NONE)
		held_back_try_streams(h, lane, &w, held_back_try_kernel);
	w.until = ns_min(w.until, start);
	if (w.until - w.from >= HELD_LEAST_NS)
		vec_push(h->to, w);
}

static void held_back_find_all(held_ctx *h)
{
	trace *t = h->t;

	h->last = mem_none(uint32_t, t->nstreams);
	held_back_find_heads(h);
	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++) {
			held_back_add_wait(h, l, (uint32_t)i);
			h->last[t->work.stream[i]] = (uint32_t)i;
		}
	mem_free(h->head, h->last);
}

held_back *held_back_build(trace *t)
{
	held_ctx h = { .t = t, .kinds = stream_kinds(t), .gpus = gpu_find_models(t) };

	if (h.kinds && h.gpus) {
		h.d = depends_of(t);
		h.launched = launched_of(t);
		h.to = mem_new(held_back, 1);
		held_back_find_all(&h);
	}
	mem_free(h.kinds, h.gpus);
	return h.to;
}

void held_back_free(held_back *h)
{
	mem_free(h->v, h);
}

const char *held_back_name(enum held_back_why why)
{
	static const char *const names[] = { NULL, "event", "default", "queue", "full" };

	return names[why];
}
