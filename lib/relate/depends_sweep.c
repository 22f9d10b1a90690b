#include "relate/depends_parts.h"
#include "base/group.h"
#include "relate/sync_calls.h"

#include <string.h>

typedef struct {                /* a stream while the calls are gone through */
	uint32_t last;          /* the work launched last, or NONE, */
	uint32_t ended;         /* and of what earlier calls launched the work that ends last */
	size_t launches;        /* how much has been launched */
	uint32_t told;          /* what it was told to wait for since that ends last, or NONE; */
	size_t unresolved;      /* how many of these waits are, */
	vec(depends_on) waits;  /* and one by one */
	vec(uint32_t) loose;    /* its work without a launch, in order of start, */
	size_t next_loose;      /* and the first of it that has no place yet */
} queue;

typedef struct {                /* a wait for a record that is still to come */
	size_t row;             /* of the wait */
	uint32_t queue;         /* the stream that waits; NONE: a thread does. */
	size_t wait, launches;  /* which of the stream's waits it is, and how much had been launched there */
	size_t next;            /* another one for the same record, or SIZE_MAX */
} early;

typedef struct {
	depends *d;
	const uint8_t *kind;    /* by string: enum sync_call */
	bool by_id;             /* rows say which record they mean */
	group streams;          /* process, context, stream: */
	vec(queue) queues;
	uint32_t *queue_of;     /* by stream of the trace; NONE: it is not known which stream that is */
	group events;           /* process, id of a record or number of an event; */
	ival *ids;              /* or, by process, where its ids lie if they are close together, */
	size_t *first_id;       /* and which number the least of them has: */
	vec(size_t) records;    /* the last row that records it so far, */
	vec(size_t) firsts;     /* and the first of all, if rows say which record they mean */
	vec(early) early;
	size_t *early_of;       /* by row that records: the first wait for it, or SIZE_MAX */
} sweep;

static uint32_t queue_at(sweep *s, uint32_t proc, int64_t ctx, int64_t stream)
{
	size_t q;

	if (!depends_known(ctx) || !depends_known(stream))
		return NONE;
	q = group_of(&s->streams, (int64_t[]){ proc, ctx, stream });
	if (q == s->queues.n)
		vec_push(&s->queues, (queue){ .last = NONE, .ended = NONE, .told = NONE });
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
		of->ended = depends_later(t, of->ended, of->loose.v[of->next_loose++]);
}

/* What is complete when all that was launched on the stream before the call of a row is. */
static depends_on relayed(const sweep *s, uint32_t q, size_t row)
{
	const trace *t = s->d->t;
	queue *of = q == NONE ? NULL : &s->queues.v[q];

	if (!of)
		return (depends_on){ NONE, true };
	place_loose(s, of, t->calls.start[t->syncs.call[row]]);
	return (depends_on){ depends_later(t, of->ended, of->told), of->unresolved > 0 };
}

/* The work before it on its stream: of what earlier calls launched the one that ends last, and the one before it of its
 * own call.  If that starts after it, as calls of several threads can be out of order, the one launched last. */
static uint32_t previous(const trace *t, const queue *of, uint32_t work)
{
	const trace_work *w = &t->work;

	if (of->ended != NONE && w->start[of->ended] > w->start[work])
		return of->last;
	return of->last != NONE && w->launch[of->last] == w->launch[work] ? depends_later(t, of->ended, of->last) : of->ended;
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
	of->waits.n = of->unresolved = 0;
	of->told = NONE;
	of->last = work;
	of->launches++;
}

/* All work of a call has been launched.  What follows a replay on any stream of its nodes runs after the whole
 * replay. */
static void leave(sweep *s, uint32_t call, const uint32_t *of, size_t n)
{
	const trace *t = s->d->t;
	bool replays = n > 1 && launched_replays(s->d->launched, call);
	uint32_t last = NONE;

	for (size_t i = 0; replays && i < n; i++)
		last = depends_later(t, last, of[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t q = s->queue_of[t->work.stream[of[i]]];
		if (q != NONE)
			s->queues.v[q].ended = depends_later(t, s->queues.v[q].ended, replays ? last : of[i]);
	}
}

/* The id of the record that a row means, or the number of its event; false: it means none, or CUPTI saw none. */
static bool id_of(const sweep *s, size_t row, int64_t *id)
{
	const trace_syncs *y = &s->d->t->syncs;

	*id = s->by_id ? y->id[row] : y->event[row];
	return depends_known(*id) && !(s->by_id && *id == SYNC_UNSEEN);
}

static uint32_t proc_of(const trace *t, size_t row)
{
	return t->threads[t->calls.thread[t->syncs.call[row]]].proc;
}

/* CUPTI counts its records, so that their ids need not be looked up: unless they are too far apart, each has a
 * number. */
static void number_ids(sweep *s)
{
	const trace *t = s->d->t;
	size_t n = 0, most = 4 * t->syncs.n;
	int64_t id;

	s->ids = mem_new(ival, t->nprocs);
	s->first_id = mem_new(size_t, t->nprocs);
	for (size_t p = 0; p < t->nprocs; p++)
		s->ids[p] = IVAL_NOWHERE;
	for (size_t i = 0; i < t->syncs.n; i++) {
		ival *at = &s->ids[proc_of(t, i)];
		if (id_of(s, i, &id))
			*at = (ival){ id < at->a ? id : at->a, id > at->b ? id : at->b };
	}
	for (size_t p = 0; p < t->nprocs && n <= most; p++) {
		uint64_t apart = s->ids[p].a <= s->ids[p].b ? (uint64_t)s->ids[p].b - (uint64_t)s->ids[p].a : 0;
		s->first_id[p] = n;
		n = apart < most ? n + apart + 1 : SIZE_MAX;
	}
	if (n > most) {
		free(s->ids);
		s->ids = NULL;
		return;
	}
	vec_reserve(&s->records, n);
	vec_reserve(&s->firsts, n);
	s->records.n = s->firsts.n = n;
	memset(s->records.v, 0xff, n * sizeof *s->records.v);   /* SIZE_MAX */
	memset(s->firsts.v, 0xff, n * sizeof *s->firsts.v);
}

/* The record that a row means, or NULL. */
static size_t *record_of(sweep *s, uint32_t proc, size_t row)
{
	int64_t id;
	size_t k;

	if (!id_of(s, row, &id))
		return NULL;
	k = s->ids ? s->first_id[proc] + (size_t)(id - s->ids[proc].a) :
		group_of(&s->events, (int64_t[]){ proc, id });
	if (k == s->records.n) {
		vec_push(&s->records, SIZE_MAX);
		vec_push(&s->firsts, SIZE_MAX);
	}
	return &s->records.v[k];
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

/* What the event of a row relays; false: its record is not in the trace.  If its record is still to come, this is what the
 * record's stream has been given by now, and *to_come is that row; otherwise SIZE_MAX. */
static bool event_of(sweep *s, uint32_t proc, size_t row, depends_on *on, size_t *to_come)
{
	const trace_syncs *y = &s->d->t->syncs;
	const size_t *record = record_of(s, proc, row);
	size_t first = record ? s->firsts.v[record - s->records.v] : SIZE_MAX;

	*on = (depends_on){ NONE, true };
	*to_come = SIZE_MAX;
	if (record && *record != SIZE_MAX) {
		*on = s->d->of_row[*record];
	} else if (first != SIZE_MAX) {
		*on = relayed(s, queue_at(s, proc, y->ctx[first], y->stream[first]), row);
		*to_come = first;
	} else {
		return false;
	}
	return true;
}

static void expect(sweep *s, size_t record, early e)
{
	if (record == SIZE_MAX)
		return;
	e.next = s->early_of[record];
	s->early_of[record] = s->early.n;
	vec_push(&s->early, e);
}

/* The record has come for which some wait already.  A stream that has been given work since waits no more. */
static void settle(sweep *s, size_t record)
{
	const trace *t = s->d->t;
	depends_on *of_row = s->d->of_row;

	for (size_t i = s->early_of[record]; i != SIZE_MAX; i = s->early.v[i].next) {
		const early *e = &s->early.v[i];
		queue *of = e->queue == NONE ? NULL : &s->queues.v[e->queue];
		depends_on on = { depends_later(t, of_row[e->row].work, of_row[record].work), of_row[record].unresolved };
		if (of && of->launches != e->launches)
			continue;
		if (of) {
			of->unresolved += on.unresolved;
			of->unresolved -= of_row[e->row].unresolved;
			of->told = depends_later(t, of->told, on.work);
			of->waits.v[e->wait] = on;
		}
		of_row[e->row] = on;
	}
}

static void tell(sweep *s, uint32_t proc, size_t row, uint32_t q)
{
	depends_on on;
	size_t record;
	queue *of;

	wait_counts_add(s->d->counts, proc, s->d->t->syncs.ctx[row], event_of(s, proc, row, &on, &record));
	if (q == NONE)
		return;
	of = &s->queues.v[q];
	expect(s, record, (early){ .row = row, .queue = q, .wait = of->waits.n, .launches = of->launches });
	vec_push(&of->waits, on);
	of->told = depends_later(s->d->t, of->told, on.work);
	of->unresolved += on.unresolved;
	s->d->of_row[row] = on;
}

static void do_row(sweep *s, size_t row)
{
	const trace *t = s->d->t;
	const trace_syncs *y = &t->syncs;
	uint32_t name = t->calls.name[y->call[row]], proc = proc_of(t, row);
	enum sync_call kind = name == STR_NONE ? SYNC_CALL_OTHER : s->kind[name];
	uint32_t q = queue_at(s, proc, y->ctx[row], y->stream[row]);
	size_t record;

	if (y->record[row]) {
		size_t *last = record_of(s, proc, row);
		s->d->of_row[row] = relayed(s, q, row);
		if (last)
			*last = row;
		settle(s, row);
	} else if (kind == SYNC_CALL_TELL) {
		tell(s, proc, row, q);
	} else if (kind == SYNC_CALL_STREAM) {
		s->d->of_row[row] = relayed(s, q, row);
	} else if (kind == SYNC_CALL_EVENT) {
		event_of(s, proc, row, &s->d->of_row[row], &record);
		expect(s, record, (early){ .row = row, .queue = NONE });
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

void depends_go_through(depends *d)
{
	trace *t = d->t;
	sweep s = { .d = d, .kind = sync_calls(t), .streams = { .width = 3 }, .events = { .width = 2 } };
	size_t row = 0;

	d->counts = wait_counts_build(t);
	s.early_of = mem_grow(NULL, t->syncs.n, sizeof *s.early_of);
	for (size_t i = 0; i < t->syncs.n; i++) {
		d->of_row[i] = (depends_on){ NONE, false };
		s.early_of[i] = SIZE_MAX;
		s.by_id |= depends_known(t->syncs.id[i]);
	}
	find_queues(&s);
	number_ids(&s);
	find_firsts(&s);
	for (size_t c = 0; c < t->calls.n; c++)
		do_call(&s, (uint32_t)c, &row);
	wait_counts_end(d->counts);
	for (size_t i = 0; i < s.queues.n; i++) {
		vec_free(&s.queues.v[i].waits);
		vec_free(&s.queues.v[i].loose);
	}
	vec_free(&s.queues);
	vec_free(&s.records);
	vec_free(&s.firsts);
	vec_free(&s.early);
	free(s.early_of);
	free(s.ids);
	free(s.first_id);
	group_free(&s.streams);
	group_free(&s.events);
	free(s.queue_of);
}
