#include "launch/depends_parts.h"
#include "base/dict.h"
#include "base/group.h"
#include "base/search.h"
#include "base/sort.h"
#include "launch/projection.h"
#include "trace/global_id.h"
#include "trace/sync_calls.h"

#include <string.h>

/* No stream waits for an event of another process, so the processes are swept one after the other. */

typedef struct {                /* a stream during the sweep */
	uint32_t last;          /* the work launched last, or NONE */
	uint32_t ended;         /* the piece that ends last among the stream's work from calls before the current one,
				 * and all nodes of the replays that had nodes on the stream; or NONE */
	size_t launches;        /* number of pieces launched so far */
	uint32_t waits_for;     /* among the work that had to end for the waits since `last`, the piece that ends last;
				 * or NONE */
	size_t unresolved;      /* the number of unresolved waits since `last` */
	vec(depends_found) waits;  /* the waits of the stream since `last` */
	vec(uint32_t) loose;    /* the stream's work without a launch in the trace, in order of start */
	size_t next_loose;      /* index of the first loose work that is not yet counted in `ended` */
} stream_queue;

typedef struct {                /* a wait for an event whose record comes later in the sweep */
	uint32_t row;           /* the row of the wait */
	uint32_t queue;         /* the stream that waits, an index in sweep.queues; NONE: a thread waits */
	size_t wait;            /* the index of the wait in stream_queue.waits, if a stream waits */
	size_t launches;        /* stream_queue.launches when the wait was added */
	uint32_t next;          /* the next early wait for the same record, as 1 + an index in sweep.early; 0: none */
} early;

typedef struct {                /* consecutive pieces of one call's work that are on one stream */
	uint32_t queue;         /* the stream, an index in sweep.queues; NONE: unknown */
	uint32_t last;          /* the piece that ends last among these */
	bool in_turn;           /* did each piece start only when the previous one had ended? */
} stream_run;

typedef struct {                /* what is found out about a place of trace.syncs: a process, context and stream */
	uint32_t queue;         /* 1 + the index of its stream in sweep.queues; 0: unknown, or not looked up yet */
	int64_t waits;          /* number of its rows that tell a stream to wait */
	int64_t found;          /* how many of these have a record in the trace */
} place;

typedef struct {                /* what all processes share */
	depends *d;
	const uint8_t *kind;    /* by kind of call: enum sync_call */
	const projection *launched;     /* the work that has a launch, by process, then call */
	uint32_t *rows;         /* rows of syncs, by process, then call */
	size_t *first_row;      /* by process: where its rows begin in `rows`; the last entry is the number of rows */
	uint32_t *queue_of;     /* by stream of the trace: its index in sweep.queues; NONE: the stream is unknown */
	uint32_t *early_of;     /* by row that records an event: the first early wait for it, as 1 + an index in
				 * sweep.early; 0: none */
	place *places;          /* by place of trace.syncs; each place belongs to one process */
} all_processes;

typedef struct {
	const all_processes *all;
	depends *d;
	uint32_t proc;
	const uint32_t *rows, *rows_end;        /* rows of this process */
	group streams;          /* numbers the queues; their keys are context and stream */
	vec(stream_queue) queues;
	vec(stream_run) runs;   /* the runs of the current call's work, in order */
	vec(uint32_t) room;     /* scratch space: two elements for each piece of the current call's work */
	dict events;            /* numbers the ids that depends_sweep_id_of_event gives; unused if `close` */
	ival ids;               /* the smallest and the largest of these ids; if `close`, the number of an id is id -
				 * ids.a */
	bool close;             /* are the ids close enough together to do without `events`? */
	vec(uint32_t) records;  /* by number of an id: the last row so far that records it, or NONE */
	vec(uint32_t) firsts;   /* by number of an id: the first of all rows that record it, or NONE; all NONE unless
				 * trace.syncs has `id` */
	bool firsts_found;      /* is `firsts` filled?  This is done when first needed. */
	vec(early) early;       /* all early waits of the process */
} sweep;

static uint32_t depends_sweep_queue_at(sweep *s, int64_t ctx, int64_t stream)
{
	size_t queue;

	if (!sync_is_known_id(ctx) || !sync_is_known_id(stream))
		return NONE;
	queue = group_of(&s->streams, (int64_t[]){ ctx, stream });
	if (queue == s->queues.n)
		vec_push(&s->queues, (stream_queue){ .last = NONE, .ended = NONE, .waits_for = NONE });
	return (uint32_t)queue;
}

static place *depends_sweep_place_of_row(const sweep *s, uint32_t row)
{
	return &s->all->places[s->d->t->syncs.place[row]];
}

static uint32_t depends_sweep_queue_of_row(sweep *s, uint32_t row)
{
	const trace_syncs *y = &s->d->t->syncs;
	const trace_sync_place *at = &y->places[y->place[row]];
	place *p = depends_sweep_place_of_row(s, row);

	if (!p->queue)
		p->queue = depends_sweep_queue_at(s, at->ctx, at->stream) + 1;
	return p->queue - 1;
}

static void depends_sweep_add_queues(sweep *s)
{
	const trace *t = s->d->t;
	uint32_t *queue_of = s->all->queue_of;
	size_t end, stream;

	search_first(stream, 0, t->nstreams, t->streams[stream].proc >= s->proc);
	for (; stream < t->nstreams && t->streams[stream].proc == s->proc; stream++)
		queue_of[stream] = depends_sweep_queue_at(s, t->streams[stream].ctx, t->streams[stream].stream);
	for (size_t l = trace_find_lanes(t, s->proc, &end); l < end; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++) {
			uint32_t queue = t->work.launch[i] == NONE ? queue_of[t->work.stream[i]] : NONE;
			if (queue != NONE && !trace_is_migration(t, i))
				vec_push(&s->queues.v[queue].loose, (uint32_t)i);
		}
}

/* Adds to `ended` the loose work that started before the moment, because it counts as launched before all that its
 * stream ran after it. */
static void depends_sweep_add_loose(const sweep *s, stream_queue *q, int64_t moment)
{
	const trace *t = s->d->t;

	while (q->next_loose < q->loose.n && t->work.start[q->loose.v[q->next_loose]] < moment)
		q->ended = depends_later(t, q->ended, q->loose.v[q->next_loose++]);
}

/* What had to end before a stream was done with all that it was given before the row's call.  This is the piece that
 * ends last among the work launched on the stream and the work that the stream was told to wait for.  queue: the
 * stream; NONE: unknown. */
static depends_found depends_sweep_last_before_row(const sweep *s, uint32_t queue, size_t row)
{
	const trace *t = s->d->t;
	stream_queue *q = queue == NONE ? NULL : &s->queues.v[queue];

	if (!q)
		return (depends_found){ NONE, true };
	if (q->next_loose < q->loose.n)
		depends_sweep_add_loose(s, q, t->calls.start[t->syncs.call[row]]);
	return (depends_found){ depends_later(t, q->ended, q->waits_for), q->unresolved > 0 };
}

/* The previous work on a stream: among the work of earlier calls and the earlier pieces of the same call, the piece
 * that ends last.  If that piece starts after the work, because calls of several threads can be out of order, the
 * previous work is the piece launched last. */
static uint32_t depends_sweep_previous_work(const trace *t, const stream_queue *q, uint32_t work)
{
	const trace_work *w = &t->work;

	if (q->ended != NONE && w->start[q->ended] > w->start[work])
		return q->last;
	return q->last != NONE && w->launch[q->last] == w->launch[work] ? depends_later(t, q->ended, q->last) :
		q->ended;
}

/* Makes the work the last of its stream, and gives it the stream's waits.  The caller has to update `ended`.  Returns
 * the stream; NULL: it is unknown. */
static stream_queue *depends_sweep_queue_work(sweep *s, uint32_t work)
{
	depends *d = s->d;
	const trace_work *w = &d->t->work;
	uint32_t queue = s->all->queue_of[w->stream[work]];
	stream_queue *q = queue == NONE ? NULL : &s->queues.v[queue];

	if (!q)
		return NULL;
	if (q->next_loose < q->loose.n)
		depends_sweep_add_loose(s, q, w->start[work]);
	d->before[work] = depends_sweep_previous_work(d->t, q, work);
	for (size_t i = 0; i < q->waits.n; i++)
		vec_push(&s->d->waits, (depends_wait){ .waiter = work, .on = q->waits.v[i] });
	q->waits.n = q->unresolved = 0;
	q->waits_for = NONE;
	q->last = work;
	q->launches++;
	return q;
}

typedef struct {
	uint32_t work;          /* or NONE */
	int64_t end;            /* when the work ends; INT64_MIN if it is NONE */
} ending;

static ending depends_sweep_ending_of_work(const trace_work *w, uint32_t work)
{
	return (ending){ work, work == NONE ? INT64_MIN : w->end[work] };
}

/* The later of two endings, as in depends_later. */
static inline ending depends_sweep_later_ending(ending a, ending b)
{
	return a.end != b.end ? (a.end > b.end ? a : b) : a.work < b.work ? a : b;
}

/* Queues the first piece of a call's work and the pieces that follow it on its stream.  Returns how many, and describes
 * them in *run.  A graph launches many pieces together, so the lookups of depends_sweep_queue_work are done once for
 * all of them.  If the stream is unknown, or work without a launch may come between them, only the first piece is
 * queued. */
static size_t depends_sweep_queue_run(sweep *s, const uint32_t *work, size_t n, stream_run *run)
{
	const trace_work *w = &s->d->t->work;
	uint32_t stream = w->stream[*work];
	stream_queue *q = depends_sweep_queue_work(s, *work);
	ending ended = depends_sweep_ending_of_work(w, q ? q->ended : NONE),
	       previous = depends_sweep_ending_of_work(w, *work), all = previous;
	int64_t ended_start = ended.work == NONE ? INT64_MIN : w->start[ended.work];
	bool in_turn = true;
	size_t i;

	if (!q || q->next_loose < q->loose.n)
		n = 1;
	for (i = 1; i < n && w->stream[work[i]] == stream; i++) {
		ending x = depends_sweep_ending_of_work(w, work[i]);
		int64_t start = w->start[x.work];
		s->d->before[x.work] = ended_start > start ? previous.work :
							     depends_sweep_later_ending(ended, previous).work;
		in_turn &= previous.end <= start && w->start[previous.work] < start;
		all = depends_sweep_later_ending(all, x);
		previous = x;
	}
	if (q) {
		q->last = previous.work;
		q->launches += i - 1;
	}
	*run = (stream_run){ s->all->queue_of[stream], all.work, in_turn };
	return i;
}

/* Fills `replayed` for the nodes of a replay. */
static void depends_sweep_find_replayed(sweep *s, const uint32_t *work, size_t n)
{
	uint32_t *replayed;

	if (s->runs.n == 1 && s->runs.v[0].in_turn) {
		for (size_t i = 1; i < n; i++)
			s->d->replayed[work[i]] = work[i - 1];
		return;
	}
	vec_reserve(&s->room, 2 * n);
	replayed = s->room.v;
	launched_find_replayed(s->d->launched, work, n, replayed, replayed + n);
	for (size_t i = 0; i < n; i++)
		s->d->replayed[work[i]] = replayed[i];
}

/* Queues the work of a call that launches several pieces.  Work that follows a replay, on any stream of its nodes,
 * runs after the whole replay. */
static void depends_sweep_queue_call(sweep *s, uint32_t call, const uint32_t *work, size_t n)
{
	const trace *t = s->d->t;
	bool replays = launched_replays(s->d->launched, call);
	uint32_t ended = NONE;

	s->runs.n = 0;
	for (size_t i = 0; i < n;) {
		stream_run one;
		i += depends_sweep_queue_run(s, work + i, n - i, &one);
		ended = depends_later(t, ended, one.last);
		vec_push(&s->runs, one);
	}
	if (replays)
		depends_sweep_find_replayed(s, work, n);
	for (size_t i = 0; i < s->runs.n; i++) {
		uint32_t queue = s->runs.v[i].queue;
		if (queue != NONE)
			s->queues.v[queue].ended = depends_later(t, s->queues.v[queue].ended, replays ? ended :
							     s->runs.v[i].last);
	}
}

/* The id of the record that a row names or, if the trace has no such ids, the number of the row's event.  False: the
 * row names no record, or one that CUPTI missed. */
static bool depends_sweep_id_of_event(const sweep *s, size_t row, int64_t *id)
{
	const trace_syncs *y = &s->d->t->syncs;

	*id = y->id ? y->id[row] : y->event[row];
	return sync_is_known_id(*id) && !(y->id && *id == SYNC_UNSEEN);
}

/* Finds out whether the ids of the process are close together, and makes room for them if so.  CUPTI numbers records
 * consecutively, so that no dictionary is needed unless the ids are far apart. */
static void depends_sweep_check_ids(sweep *s)
{
	size_t n, most = 4 * (size_t)(s->rows_end - s->rows);
	int64_t id;

	s->ids = IVAL_NOWHERE;
	for (const uint32_t *i = s->rows; i < s->rows_end; i++)
		if (depends_sweep_id_of_event(s, *i, &id))
			s->ids = (ival){ id < s->ids.a ? id : s->ids.a, id > s->ids.b ? id : s->ids.b };
	s->close = s->ids.a <= s->ids.b && (uint64_t)s->ids.b - (uint64_t)s->ids.a < most;
	if (!s->close)
		return;
	n = (size_t)(s->ids.b - s->ids.a) + 1;
	vec_reserve(&s->records, n);
	vec_reserve(&s->firsts, n);
	s->records.n = s->firsts.n = n;
	memset(s->records.v, 0xff, n * sizeof *s->records.v);   /* all elements are NONE */
	memset(s->firsts.v, 0xff, n * sizeof *s->firsts.v);
}

/* The element of `records` for the id of a row (depends_sweep_id_of_event); NULL: the row has none. */
static uint32_t *depends_sweep_record_of_event(sweep *s, size_t row)
{
	int64_t id;
	size_t k;

	if (!depends_sweep_id_of_event(s, row, &id))
		return NULL;
	k = s->close ? (size_t)(id - s->ids.a) : dict_key(&s->events, id);
	if (k == s->records.n) {
		vec_push(&s->records, NONE);
		vec_push(&s->firsts, NONE);
	}
	return &s->records.v[k];
}

/* Finds the first row of each record, if rows have ids of records.  With calls of several threads, the call that
 * records can start after the call that waits, and still take effect before it. */
static void depends_sweep_find_first_records(sweep *s)
{
	for (const uint32_t *i = s->rows; s->d->t->syncs.id && !s->firsts_found && i < s->rows_end; i++) {
		uint32_t *record = s->d->t->syncs.record[*i] ? depends_sweep_record_of_event(s, *i) : NULL;
		if (record && s->firsts.v[record - s->records.v] == NONE)
			s->firsts.v[record - s->records.v] = *i;
	}
	s->firsts_found = true;
}

/* Finds the work that had to end before a row's event was complete.  False: the event's record is not in the trace.  If
 * the record comes later in the sweep, *to_come is its row, and *on covers for now what the recording stream has been
 * given so far.  Otherwise *to_come is NONE. */
static bool depends_sweep_find_event(sweep *s, uint32_t row, depends_found *on, uint32_t *to_come)
{
	const uint32_t *record = depends_sweep_record_of_event(s, row);
	ptrdiff_t k = record ? record - s->records.v : 0;

	*on = (depends_found){ NONE, true };
	*to_come = NONE;
	if (!record)
		return false;
	if (*record != NONE) {
		*on = s->d->of_row[*record];
		return true;
	}
	depends_sweep_find_first_records(s);
	*to_come = s->firsts.v[k];
	if (*to_come != NONE)
		*on = depends_sweep_last_before_row(s, depends_sweep_queue_of_row(s, *to_come), row);
	return *to_come != NONE;
}

static void depends_sweep_add_early(sweep *s, uint32_t record, early e)
{
	if (record == NONE)
		return;
	e.next = s->all->early_of[record];
	vec_push(&s->early, e);
	s->all->early_of[record] = (uint32_t)s->early.n;
}

/* Corrects the early waits for this record.  If the waiting stream has been given work since, its wait stays as it
 * was. */
static void depends_sweep_correct_early(sweep *s, uint32_t record)
{
	const trace *t = s->d->t;
	depends_found *of_row = s->d->of_row;

	for (uint32_t i = s->all->early_of[record]; i; i = s->early.v[i - 1].next) {
		const early *e = &s->early.v[i - 1];
		stream_queue *of = e->queue == NONE ? NULL : &s->queues.v[e->queue];
		depends_found on = { depends_later(t, of_row[e->row].work, of_row[record].work),
			of_row[record].unresolved };
		if (of && of->launches != e->launches)
			continue;
		if (of) {
			of->unresolved += on.unresolved;
			of->unresolved -= of_row[e->row].unresolved;
			of->waits_for = depends_later(t, of->waits_for, on.work);
			of->waits.v[e->wait] = on;
		}
		of_row[e->row] = on;
	}
}

static void depends_sweep_add_wait(sweep *s, uint32_t row, uint32_t queue)
{
	depends_found on;
	uint32_t record;
	stream_queue *q;

	depends_sweep_place_of_row(s, row)->waits++;
	depends_sweep_place_of_row(s, row)->found += depends_sweep_find_event(s, row, &on, &record);
	if (queue == NONE)
		return;
	q = &s->queues.v[queue];
	depends_sweep_add_early(s, record,
				(early){ .row = row, .queue = queue, .wait = q->waits.n, .launches = q->launches });
	vec_push(&q->waits, on);
	q->waits_for = depends_later(s->d->t, q->waits_for, on.work);
	q->unresolved += on.unresolved;
	s->d->of_row[row] = on;
}

static void depends_sweep_apply_row(sweep *s, uint32_t row)
{
	const trace *t = s->d->t;
	const trace_syncs *y = &t->syncs;
	enum sync_call kind = y->record[row] ? SYNC_CALL_OTHER :
		(enum sync_call)s->all->kind[t->calls.kind[y->call[row]]];
	uint32_t queue = depends_sweep_queue_of_row(s, row), record;

	s->d->of_row[row] = (depends_found){ NONE, false };
	if (y->record[row]) {
		uint32_t *last = depends_sweep_record_of_event(s, row);
		s->d->of_row[row] = depends_sweep_last_before_row(s, queue, row);
		if (last)
			*last = row;
		if (s->early.n)
			depends_sweep_correct_early(s, row);
	} else if (kind == SYNC_CALL_STREAM_WAIT) {
		depends_sweep_add_wait(s, row, queue);
	} else if (kind == SYNC_CALL_STREAM) {
		s->d->of_row[row] = depends_sweep_last_before_row(s, queue, row);
	} else if (kind == SYNC_CALL_EVENT) {
		depends_sweep_find_event(s, row, &s->d->of_row[row], &record);
		depends_sweep_add_early(s, record, (early){ .row = row, .queue = NONE });
	}
}

/* Applies one call: first the rows of its waits, then its launches, then the rows of its records. */
static void depends_sweep_apply_call(sweep *s, uint32_t call, const uint32_t **row, const uint32_t *work, size_t n)
{
	const trace_syncs *y = &s->d->t->syncs;
	stream_queue *q = NULL;

	for (; *row < s->rows_end && y->call[**row] == call && !y->record[**row]; ++*row)
		depends_sweep_apply_row(s, **row);
	if (n > 1)
		depends_sweep_queue_call(s, call, work, n);
	else if (n && (q = depends_sweep_queue_work(s, *work)))
		q->ended = depends_later(s->d->t, q->ended, *work);
	for (; *row < s->rows_end && y->call[**row] == call; ++*row)
		depends_sweep_apply_row(s, **row);
}

static void depends_sweep_apply_calls(sweep *s, const uint32_t *work, const uint32_t *end)
{
	const trace *t = s->d->t;
	const uint32_t *row = s->rows;

	while (work < end || row < s->rows_end) {
		uint32_t launch = work < end ? t->work.launch[*work] : NONE;
		uint32_t call = row < s->rows_end && t->syncs.call[*row] < launch ? t->syncs.call[*row] : launch;
		size_t n = 0;
		while (work + n < end && t->work.launch[work[n]] == call)
			n++;
		depends_sweep_apply_call(s, call, &row, work, n);
		work += n;
	}
}

static void depends_sweep_run_process(const all_processes *all, uint32_t proc)
{
	sweep s = { .all = all, .d = all->d, .proc = proc,
		.rows = all->rows + all->first_row[proc], .rows_end = all->rows + all->first_row[proc + 1],
		.streams = { .width = 2 } };
	size_t n;
	const uint32_t *work = projection_launched(all->launched, s.proc, &n);

	depends_sweep_add_queues(&s);
	depends_sweep_check_ids(&s);
	depends_sweep_apply_calls(&s, work, work + n);
	for (size_t i = 0; i < s.queues.n; i++)
		mem_free(s.queues.v[i].waits.v, s.queues.v[i].loose.v);
	mem_free(s.queues.v, s.runs.v, s.room.v, s.records.v, s.firsts.v, s.early.v);
	group_free(&s.streams);
	dict_free(&s.events);
}

/* ---- all processes */

static uint32_t depends_sweep_process_of_place(const trace *t, size_t i)
{
	return trace_proc_of(t, global_first(t->syncs.places[i].process));
}

/* The rows of trace.syncs, sorted by process, and otherwise in their own order.  *first: by process, where its rows
 * begin. */
static uint32_t *depends_sweep_sort_by_process(const trace *t, size_t **first)
{
	const trace_syncs *y = &t->syncs;
	uint32_t *proc = mem_new(uint32_t, y->nplaces), *rows;

	for (size_t i = 0; i < y->nplaces; i++)
		proc[i] = depends_sweep_process_of_place(t, i);
	*first = mem_new(size_t, t->nprocs + 1);
	rows = sort_groups_of(y->place, proc, y->n, t->nprocs, *first);
	free(proc);
	return rows;
}

static void depends_sweep_add_counts(depends *d, const place *places)
{
	const trace *t = d->t;

	for (size_t i = 0; i < t->syncs.nplaces; i++)
		if (places[i].waits)
			wait_counts_add(d->counts, depends_sweep_process_of_place(t, i), t->syncs.places[i].ctx,
					places[i].waits, places[i].found);
	wait_counts_sum_lanes(d->counts);
}

void depends_sweep_calls(depends *d)
{
	trace *t = d->t;
	all_processes all = { .d = d, .kind = sync_calls(t), .launched = projection_order(t),
		.queue_of = mem_new(uint32_t, t->nstreams), .early_of = mem_new(uint32_t, t->syncs.n),
		.places = mem_new(place, t->syncs.nplaces) };

	d->launched = launched_of(t);
	d->before = mem_none(uint32_t, t->work.n);
	d->replayed = mem_none(uint32_t, t->work.n);
	d->of_row = mem_grow(NULL, t->syncs.n, sizeof *d->of_row);
	d->counts = wait_counts_build(t);
	all.rows = depends_sweep_sort_by_process(t, &all.first_row);
	for (uint32_t p = 0; p < t->nprocs; p++)
		depends_sweep_run_process(&all, p);
	depends_sweep_add_counts(d, all.places);
	mem_free(all.rows, all.first_row, all.queue_of, all.early_of, all.places);
}
