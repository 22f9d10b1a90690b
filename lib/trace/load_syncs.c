#include "trace/load_syncs.h"
#include "base/column.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/global_id.h"
#include "trace/sync_calls.h"

#include <string.h>

enum { PID, CTX, STREAM, CORR, EVENT, ID, COLS };
enum { COLUMNS = 6 };
enum { BUCKETS = 4000, BUCKET_ROWS = 256 };     /* at most so many, with about so many rows or more */

typedef struct {
	rows_part rows;
	group places;           /* process, context, stream: keys of its own, */
	uint32_t *place;        /* and by key one of all */
} part;

typedef struct {
	trace *t;
	syncs_raw *raw;
	rows_parts parts;
	int64_t adopter;
	bool record;            /* the table of records is being read */
	size_t more;            /* rows that it has at most, while the other is read */
	size_t room;            /* of the columns */
	column columns[COLUMNS];
} reading;

static void columns(trace *t, syncs_raw *raw, column c[COLUMNS])
{
	trace_syncs *s = &t->syncs;
	const column all[COLUMNS] = { COLUMN(s->call), COLUMN(s->place), COLUMN(s->event), COLUMN(s->id),
		COLUMN(s->record), COLUMN(raw->id) };

	memcpy(c, all, sizeof all);
}

static void make_room(void *ctx, size_t n)
{
	reading *r = ctx;

	if (n > r->room || !r->room)
		column_grow(r->columns, COLUMNS, r->room = n + r->more);
}

static void free_part(void *which)
{
	part *p = which;

	group_free(&p->places);
	free(p->place);
}

static void take(void *ctx, void *to, const rows_batch *b)
{
	reading *r = ctx;
	part *p = to;
	trace_syncs *s = &r->t->syncs;
	size_t row = p->rows.first + p->rows.n;

	p->places.width = 3;
	for (size_t i = 0; i < b->n; i++)
		s->place[row + i] = (uint32_t)group_of(&p->places, (int64_t[]){ b->ints[PID][i] == -1 ? r->adopter :
			global_process(b->ints[PID][i]), b->ints[CTX][i], b->ints[STREAM][i] });
	memcpy(s->event + row, b->ints[EVENT], b->n * sizeof *s->event);
	memcpy(s->id + row, b->ints[ID], b->n * sizeof *s->id);
	memcpy(r->raw->id + row, b->ints[CORR], b->n * sizeof *r->raw->id);
	memset(s->record + row, r->record, b->n);
	memset(s->call + row, 0xff, b->n * sizeof *s->call);
	p->rows.n += b->n;
}

static void number_part(void *ctx, size_t which)
{
	const reading *r = ctx;
	const part *p = rows_part_at(part, &r->parts, which);

	for (uint32_t *at = r->t->syncs.place + p->rows.first, *end = at + p->rows.n; at < end; at++)
		*at = p->place[*at];
}

/* Number the places of all parts. */
static void number_places(reading *r)
{
	for (size_t i = 0; i < r->parts.n; i++) {
		part *p = rows_part_at(part, &r->parts, i);
		p->place = mem_new(uint32_t, p->places.n);
		for (size_t k = 0; k < p->places.n; k++)
			p->place[k] = (uint32_t)group_of(&r->raw->places, &p->places.key[3 * k]);
	}
	par_do(r->t->workers, r->parts.n, number_part, r);
}

static bool read_table(reading *r, const char *name)
{
	static const rows_reader reader = { .part_size = sizeof(part), .free_part = free_part, .take = take,
		.kept = "synchronizations", .room = make_room };
	rows_col c[COLS] = {
		[PID] = { .names = "globalPid", .null = -1 },
		[CTX] = { .names = "contextId", .null = TRACE_UNKNOWN },
		[STREAM] = { .names = "streamId", .null = TRACE_UNKNOWN },
		[CORR] = { .names = "correlationId" },
		[EVENT] = { .names = "eventId", .null = TRACE_UNKNOWN },
		[ID] = { .names = "eventSyncId", .null = TRACE_UNKNOWN },
	};
	bool ok;

	r->parts = (rows_parts){ .base = r->t->syncs.n };
	ok = rows_read(r->t->db, db_find(r->t->db, name), c, COLS, &reader, r, r->t->workers, &r->parts);
	if (ok) {
		number_places(r);
		r->t->syncs.n = rows_close(&r->parts, r->columns, COLUMNS, r->t->workers);
	}
	rows_parts_free(&r->parts);
	return ok;
}

static int process_order(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_sync_place *places = ctx;

	return global_order(places[a].process, places[b].process);
}

/* The rows by process.  The caller frees it. */
static uint32_t *by_process(const trace_syncs *s, size_t nplaces, par threads)
{
	uint32_t *sorted = mem_new(uint32_t, nplaces), *rank = mem_new(uint32_t, nplaces), *order;
	size_t *first = mem_new(size_t, nplaces + 1), n = 0;

	for (size_t i = 0; i < nplaces; i++)
		sorted[i] = (uint32_t)i;
	sort_items(sorted, nplaces, process_order, s->places);
	for (size_t i = 0; i < nplaces; i++) {
		n += i && process_order(sorted[i], sorted[i - 1], s->places);
		rank[sorted[i]] = (uint32_t)n;
	}
	order = sort_groups_of(&(narrow){ .many = s->place }, rank, s->n, nplaces, threads, first, NULL);
	mem_free(sorted, rank, first);
	return order;
}

bool load_syncs(trace *t, int64_t adopter, syncs_raw *raw)
{
	static const char records[] = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
	reading r = { .t = t, .raw = raw, .adopter = adopter };

	raw->places.width = 3;
	columns(t, raw, r.columns);
	r.more = rows_most(t->db, db_find(t->db, records));
	if (!read_table(&r, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"))
		return false;
	r.record = true;
	r.more = 0;
	if (!read_table(&r, records))
		return false;
	t->syncs.places = mem_new(trace_sync_place, raw->places.n);
	for (size_t i = 0; i < raw->places.n; i++) {
		const int64_t *key = &raw->places.key[3 * i];
		t->syncs.places[i] = (trace_sync_place){ key[0], key[1], key[2] };
	}
	raw->by_process = by_process(&t->syncs, raw->places.n, t->workers);
	return true;
}

static int by_call(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_syncs *s = ctx;
	const trace_sync_place *x = &s->places[s->place[a]], *y = &s->places[s->place[b]];

	if (s->call[a] != s->call[b])
		return sort_3way(s->call[a], s->call[b]);
	if (s->record[a] != s->record[b])
		return sort_3way(s->record[a], s->record[b]);
	if (x->ctx != y->ctx)
		return sort_3way(x->ctx, y->ctx);
	if (x->stream != y->stream)
		return sort_3way(x->stream, y->stream);
	return s->event[a] != s->event[b] ? sort_3way(s->event[a], s->event[b]) : sort_3way(s->id[a], s->id[b]);
}

typedef struct {
	const trace_syncs *rows;
	uint32_t *order;
	size_t first[BUCKETS + 2];      /* where each bucket begins in order */
} ordering;

static void order_bucket(void *ctx, size_t i)
{
	ordering *o = ctx;

	sort_items(o->order + o->first[i], o->first[i + 1] - o->first[i], by_call, o->rows);
}

/* If a row says which record it means, that counts, and the numbers of events are not needed; else only they are. */
static void keep_one(trace_syncs *s)
{
	bool by_id = false;

	for (size_t i = 0; i < s->n && !by_id; i++)
		by_id = s->call[i] != NONE && s->id[i] != TRACE_UNKNOWN && s->id[i] != SYNC_NO_EVENT;
	free(by_id ? s->event : s->id);
	*(by_id ? &s->event : &s->id) = NULL;
}

/* Rows are put into buckets of neighbouring calls, each of which a thread puts in order; the last has what is left
 * out. */
void load_syncs_order(trace *t)
{
	trace_syncs *s = &t->syncs;
	size_t buckets = s->n / BUCKET_ROWS < BUCKETS ? s->n / BUCKET_ROWS + 1 : BUCKETS;
	size_t calls = t->calls.n / buckets + 1;
	const uint8_t *kind = sync_calls(t);
	uint32_t *bucket = mem_grow(NULL, s->n, sizeof *bucket);
	ordering o = { .rows = s };
	column c[COLUMNS];

	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = s->call[i];
		bool needed = call != NONE && (s->record[i] || sync_call_has_row(kind[calls_kind(&t->calls, call)]));
		bucket[i] = (uint32_t)(needed ? call / calls : buckets);
	}
	o.order = sort_groups(bucket, s->n, buckets + 1, t->workers, o.first);
	free(bucket);
	par_do(t->workers, buckets, order_bucket, &o);
	keep_one(s);
	s->n = o.first[buckets];
	columns(t, &(syncs_raw){ 0 }, c);
	column_order(c, COLUMNS, o.order, s->n, t->workers, NULL);
	column_fit(c, COLUMNS, s->n);
	free(o.order);
}

void load_syncs_free(syncs_raw *raw)
{
	group_free(&raw->places);
	mem_free(raw->id, raw->by_process);
}
