#include "relate/depends.h"
#include "base/group.h"
#include "base/memory.h"
#include "relate/sync_calls.h"

#include <string.h>

static const depends_on nothing = { NONE, false };

typedef struct {                /* a stream while the calls are gone through */
	uint32_t last;          /* the work launched last, or NONE, */
	uint32_t ended;         /* and of what earlier calls launched the work that ends last */
	depends_on told;        /* what it was told to wait for since, in one */
	vec(depends_on) waits;  /* and one by one */
	vec(uint32_t) loose;    /* its work without a launch, in order of start, */
	size_t next_loose;      /* and the first of it that has no place yet */
} queue;

typedef struct {
	int64_t waits, found;
} counts;

struct depends {
	const trace *t;
	launched *launched;
	uint32_t *previous;     /* by work */
	uint32_t *replayed;     /* launched_replayed */
	uint32_t *first_wait;   /* by work: an index of waits, or NONE */
	vec(depends_wait) waits;
	depends_on *of_row;     /* by row of syncs */
	group contexts;         /* process, context: */
	vec(counts) counts;     /* of waits */
	counts *of_lane;
};

typedef struct {
	depends *d;
	uint8_t *kind;          /* by string: enum sync_call */
	bool by_id;             /* rows say which record they mean */
	group streams;          /* process, context, stream: */
	vec(queue) queues;
	uint32_t *queue_of;     /* by stream of the trace; NONE: it is not known which stream that is */
	group events;           /* process, id of a record or number of an event: */
	vec(size_t) records;    /* the last row that records it so far, */
	vec(size_t) firsts;     /* and the first of all, if rows say which record they mean */
} sweep;

/* Which of two ends last?  At equal ends the first in order of work. */
static uint32_t later(const trace *t, uint32_t a, uint32_t b)
{
	const int64_t *end = t->work.end;

	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	return end[a] != end[b] ? (end[a] > end[b] ? a : b) : a < b ? a : b;
}

static depends_on both(const trace *t, depends_on a, depends_on b)
{
	return (depends_on){ later(t, a.work, b.work), a.unresolved || b.unresolved };
}

static bool known(int64_t id)
{
	return id != TRACE_UNKNOWN && id != UINT32_MAX;
}

static uint32_t queue_at(sweep *s, uint32_t proc, int64_t ctx, int64_t stream)
{
	size_t q;

	if (!known(ctx) || !known(stream))
		return NONE;
	q = group_of(&s->streams, (int64_t[]){ proc, ctx, stream });
	if (q == s->queues.n)
		vec_push(&s->queues, (queue){ .last = NONE, .ended = NONE, .told = nothing });
	return (uint32_t)q;
}

static void find_queues(sweep *s)
{
	const trace *t = s->d->t;

	s->queue_of = mem_new(uint32_t, t->nstreams);
	for (size_t i = 0; i < t->nstreams; i++)
		s->queue_of[i] = queue_at(s, t->streams[i].proc, t->streams[i].ctx, t->streams[i].stream);
	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t q = s->queue_of[t->work.stream[i]];
		if (t->work.launch[i] == NONE && q != NONE && !trace_is_migration(t, i))
			vec_push(&s->queues.v[q].loose, (uint32_t)i);
	}
}

/* Work without a launch that started before the moment stands in its place: what is launched later starts later. */
static void place_loose(const sweep *s, queue *of, int64_t moment)
{
	const trace *t = s->d->t;

	while (of->next_loose < of->loose.n && t->work.start[of->loose.v[of->next_loose]] < moment)
		of->ended = later(t, of->ended, of->loose.v[of->next_loose++]);
}

/* What is complete when all that was launched on the stream before the call of a row is. */
static depends_on relayed(const sweep *s, uint32_t q, size_t row)
{
	const trace *t = s->d->t;

	if (q == NONE)
		return nothing;
	place_loose(s, &s->queues.v[q], t->calls.start[t->syncs.call[row]]);
	return both(t, (depends_on){ s->queues.v[q].ended, false }, s->queues.v[q].told);
}

/* The work before it on its stream: of what earlier calls launched the one that ends last, and the one before it of its
 * own call.  If that starts after it, as calls of several threads can be out of order, the one launched last. */
static uint32_t previous(const trace *t, const queue *of, uint32_t work)
{
	const trace_work *w = &t->work;

	if (of->ended != NONE && w->start[of->ended] > w->start[work])
		return of->last;
	return of->last != NONE && w->launch[of->last] == w->launch[work] ? later(t, of->ended, of->last) : of->ended;
}

static void run(sweep *s, uint32_t work)
{
	depends *d = s->d;
	const trace_work *w = &d->t->work;
	uint32_t q = s->queue_of[w->stream[work]];
	queue *of = q == NONE ? NULL : &s->queues.v[q];

	if (!of)
		return;
	place_loose(s, of, w->start[work]);
	d->previous[work] = previous(d->t, of, work);
	if (of->waits.n)
		d->first_wait[work] = (uint32_t)d->waits.n;
	for (size_t i = 0; i < of->waits.n; i++)
		vec_push(&d->waits, (depends_wait){ of->waits.v[i], i + 1 < of->waits.n });
	of->waits.n = 0;
	of->told = nothing;
	of->last = work;
}

/* All work of a call has been launched.  What follows a replay on any stream of its nodes runs after the whole replay. */
static void leave(sweep *s, uint32_t call, const uint32_t *of, size_t n)
{
	const trace *t = s->d->t;
	bool replays = n && launched_replays(s->d->launched, call);
	uint32_t last = NONE;

	for (size_t i = 0; replays && i < n; i++)
		last = later(t, last, of[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t q = s->queue_of[t->work.stream[of[i]]];
		if (q != NONE)
			s->queues.v[q].ended = later(t, s->queues.v[q].ended, replays ? last : of[i]);
	}
}

/* The record that a row means; NULL: it means none, or CUPTI saw none. */
static size_t *record_of(sweep *s, uint32_t proc, size_t row)
{
	const trace_syncs *y = &s->d->t->syncs;
	int64_t id = s->by_id ? y->id[row] : y->event[row];
	size_t k;

	if (!known(id) || (s->by_id && id == SYNC_UNSEEN))
		return NULL;
	k = group_of(&s->events, (int64_t[]){ proc, id });
	if (k == s->records.n) {
		vec_push(&s->records, SIZE_MAX);
		vec_push(&s->firsts, SIZE_MAX);
	}
	return &s->records.v[k];
}

static uint32_t proc_of(const trace *t, size_t row)
{
	return t->threads[t->calls.thread[t->syncs.call[row]]].proc;
}

/* Where the first row is that records each event, for calls of several threads: the one that records can start after
 * the one that waits and still be first. */
static void find_firsts(sweep *s)
{
	const trace *t = s->d->t;

	for (size_t i = 0; s->by_id && i < t->syncs.n; i++) {
		size_t *record = t->syncs.record[i] ? record_of(s, proc_of(t, i), i) : NULL;
		if (record && s->firsts.v[record - s->records.v] == SIZE_MAX)
			s->firsts.v[record - s->records.v] = i;
	}
}

/* What the event of a row relays; false: its record is not in the trace. */
static bool event_of(sweep *s, uint32_t proc, size_t row, depends_on *on)
{
	const trace_syncs *y = &s->d->t->syncs;
	const size_t *record = record_of(s, proc, row);
	size_t first = record ? s->firsts.v[record - s->records.v] : SIZE_MAX;

	*on = (depends_on){ NONE, true };
	if (record && *record != SIZE_MAX)
		*on = s->d->of_row[*record];
	else if (first != SIZE_MAX)
		*on = relayed(s, queue_at(s, proc, y->ctx[first], y->stream[first]), row);
	else
		return false;
	return true;
}

static void count_wait(depends *d, uint32_t proc, int64_t ctx, bool found)
{
	size_t k = group_of(&d->contexts, (int64_t[]){ proc, ctx });

	if (k == d->counts.n)
		vec_push(&d->counts, (counts){ 0 });
	d->counts.v[k].waits++;
	d->counts.v[k].found += found;
}

static void tell(sweep *s, uint32_t proc, size_t row, uint32_t q)
{
	depends_on on;

	count_wait(s->d, proc, s->d->t->syncs.ctx[row], event_of(s, proc, row, &on));
	if (q == NONE)
		return;
	vec_push(&s->queues.v[q].waits, on);
	s->queues.v[q].told = both(s->d->t, s->queues.v[q].told, on);
	s->d->of_row[row] = on;
}

static void do_row(sweep *s, size_t row)
{
	const trace *t = s->d->t;
	const trace_syncs *y = &t->syncs;
	uint32_t name = t->calls.name[y->call[row]], proc = proc_of(t, row);
	enum sync_call kind = name == STR_NONE ? SYNC_CALL_OTHER : s->kind[name];
	uint32_t q = queue_at(s, proc, y->ctx[row], y->stream[row]);

	if (y->record[row]) {
		size_t *record = record_of(s, proc, row);
		s->d->of_row[row] = relayed(s, q, row);
		if (record)
			*record = row;
	} else if (kind == SYNC_CALL_TELL) {
		tell(s, proc, row, q);
	} else if (kind == SYNC_CALL_STREAM) {
		s->d->of_row[row] = q == NONE ? (depends_on){ NONE, true } : relayed(s, q, row);
	} else if (kind == SYNC_CALL_EVENT) {
		event_of(s, proc, row, &s->d->of_row[row]);
	}
}

/* Of one call: what it waits for comes before what it launches, and that before what it records. */
static void do_call(sweep *s, uint32_t call, size_t *row)
{
	const trace_syncs *y = &s->d->t->syncs;
	size_t n;
	const uint32_t *of = launched_by(s->d->launched, call, &n);

	for (; *row < y->n && y->call[*row] == call && !y->record[*row]; ++*row)
		do_row(s, *row);
	for (size_t i = 0; i < n; i++)
		run(s, of[i]);
	leave(s, call, of, n);
	for (; *row < y->n && y->call[*row] == call; ++*row)
		do_row(s, *row);
}

/* Streams are by process, GPU and context, and so are lanes. */
static void count_lanes(depends *d)
{
	const trace *t = d->t;
	size_t lane = 0;

	d->of_lane = mem_new(counts, t->nlanes);
	for (size_t i = 0; i < t->nstreams; i++) {
		const trace_stream *st = &t->streams[i];
		bool same = i && st[-1].proc == st->proc && st[-1].gpu == st->gpu;
		size_t k = group_of(&d->contexts, (int64_t[]){ st->proc, st->ctx });
		lane += i && !same;
		if ((same && st[-1].ctx == st->ctx) || k >= d->counts.n)
			continue;
		d->of_lane[lane].waits += d->counts.v[k].waits;
		d->of_lane[lane].found += d->counts.v[k].found;
	}
}

static void go_through(depends *d)
{
	const trace *t = d->t;
	sweep s = { .d = d, .kind = sync_calls(t), .streams = { .width = 3 }, .events = { .width = 2 } };
	size_t row = 0;

	for (size_t i = 0; i < t->syncs.n; i++) {
		d->of_row[i] = nothing;
		s.by_id |= known(t->syncs.id[i]);
	}
	find_queues(&s);
	find_firsts(&s);
	for (size_t c = 0; c < t->calls.n; c++)
		do_call(&s, (uint32_t)c, &row);
	for (size_t i = 0; i < s.queues.n; i++) {
		vec_free(&s.queues.v[i].waits);
		vec_free(&s.queues.v[i].loose);
	}
	vec_free(&s.queues);
	vec_free(&s.records);
	vec_free(&s.firsts);
	group_free(&s.streams);
	group_free(&s.events);
	free(s.queue_of);
	free(s.kind);
}

depends *depends_build(const trace *t)
{
	depends *d = mem_new(depends, 1);

	d->t = t;
	d->contexts.width = 2;
	d->previous = mem_grow(NULL, t->work.n, sizeof *d->previous);
	d->first_wait = mem_grow(NULL, t->work.n, sizeof *d->first_wait);
	memset(d->previous, 0xff, t->work.n * sizeof *d->previous);
	memset(d->first_wait, 0xff, t->work.n * sizeof *d->first_wait);
	d->of_row = mem_new(depends_on, t->syncs.n);
	d->launched = launched_build(t);
	d->replayed = launched_replayed(d->launched);
	go_through(d);
	count_lanes(d);
	return d;
}

void depends_free(depends *d)
{
	launched_free(d->launched);
	free(d->previous);
	free(d->replayed);
	free(d->first_wait);
	free(d->of_row);
	free(d->of_lane);
	vec_free(&d->waits);
	vec_free(&d->counts);
	group_free(&d->contexts);
	free(d);
}

/* ---- what was found */

uint32_t depends_previous(const depends *d, size_t work)
{
	return d->previous[work];
}

uint32_t depends_replayed(const depends *d, size_t work)
{
	return d->replayed[work];
}

const depends_wait *depends_waits(const depends *d, size_t work)
{
	return d->first_wait[work] == NONE ? NULL : &d->waits.v[d->first_wait[work]];
}

/* Nothing waits for what starts after it: then the trace contradicts itself, as where a stream's number stands for two. */
static depends_on possible(const depends *d, size_t work, depends_on on)
{
	const int64_t *start = d->t->work.start;

	return on.work != NONE && start[on.work] > start[work] ? (depends_on){ NONE, on.unresolved } : on;
}

depends_on depends_producer(const depends *d, size_t work)
{
	const int64_t *end = d->t->work.end;
	const uint32_t first[] = { d->previous[work], d->replayed[work] };
	depends_on on = nothing;

	for (const depends_wait *w = depends_waits(d, work); w; w = depends_next(w))
		on = both(d->t, on, possible(d, work, w->on));
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		uint32_t one = possible(d, work, (depends_on){ first[i], false }).work;
		if (one != NONE && (on.work == NONE || end[one] >= end[on.work]))
			on.work = one;
	}
	return on;
}

const launched *depends_launched(const depends *d)
{
	return d->launched;
}

depends_on depends_sync(const depends *d, size_t row)
{
	return d->of_row[row];
}

void depends_resolved(const depends *d, size_t lane, int64_t *waits, int64_t *found)
{
	*waits = d->of_lane[lane].waits;
	*found = d->of_lane[lane].found;
}
