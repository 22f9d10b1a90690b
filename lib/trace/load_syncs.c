#include "trace/load_syncs.h"
#include "base/column.h"
#include "base/dict.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/global_id.h"

#include <string.h>

enum { PID, CTX, STREAM, CORR, EVENT, ID, COLS };
enum { COLUMNS = 8 };
enum { BUCKETS = 4000, BUCKET_ROWS = 256 };     /* at most so many, with about so many rows or more */

typedef struct {
	trace *t;
	syncs_raw *raw;
	int64_t adopter;
	bool record;            /* the table of records is being read */
	size_t more;            /* rows that it has at most, while the other is read */
	size_t room;            /* of the columns */
	column columns[COLUMNS];
} reading;

static void columns(trace *t, syncs_raw *raw, column c[COLUMNS])
{
	trace_syncs *s = &t->syncs;
	const column all[COLUMNS] = { COLUMN(s->call), COLUMN(s->ctx), COLUMN(s->stream), COLUMN(s->event),
		COLUMN(s->id), COLUMN(s->record), COLUMN(raw->process), COLUMN(raw->id) };

	memcpy(c, all, sizeof all);
}

static void make_room(void *ctx, size_t n)
{
	reading *r = ctx;

	if (n > r->room || !r->room)
		column_grow(r->columns, COLUMNS, r->room = n + r->more);
}

static void take(void *ctx, void *to, const rows_batch *b)
{
	reading *r = ctx;
	rows_part *p = to;
	trace_syncs *s = &r->t->syncs;
	size_t row = p->first + p->n;

	memcpy(s->ctx + row, b->ints[CTX], b->n * sizeof *s->ctx);
	memcpy(s->stream + row, b->ints[STREAM], b->n * sizeof *s->stream);
	memcpy(s->event + row, b->ints[EVENT], b->n * sizeof *s->event);
	memcpy(s->id + row, b->ints[ID], b->n * sizeof *s->id);
	memcpy(r->raw->id + row, b->ints[CORR], b->n * sizeof *r->raw->id);
	for (size_t i = 0; i < b->n; i++)
		r->raw->process[row + i] = b->ints[PID][i] == -1 ? r->adopter : global_process(b->ints[PID][i]);
	memset(s->record + row, r->record, b->n);
	memset(s->call + row, 0xff, b->n * sizeof *s->call);
	p->n += b->n;
}

static bool read_table(reading *r, const char *name)
{
	static const rows_reader reader = { .part_size = sizeof(rows_part), .take = take, .kept = "synchronizations",
		.room = make_room };
	rows_col c[COLS] = {
		[PID] = { .names = "globalPid", .null = -1 },
		[CTX] = { .names = "contextId", .null = TRACE_UNKNOWN },
		[STREAM] = { .names = "streamId", .null = TRACE_UNKNOWN },
		[CORR] = { .names = "correlationId" },
		[EVENT] = { .names = "eventId", .null = TRACE_UNKNOWN },
		[ID] = { .names = "eventSyncId", .null = TRACE_UNKNOWN },
	};
	rows_parts parts = { .base = r->t->syncs.n };
	bool ok = rows_read(r->t->db, db_find(r->t->db, name), c, COLS, &reader, r, r->t->workers, &parts);

	if (ok)
		r->t->syncs.n = rows_close(&parts, r->columns, COLUMNS);
	rows_parts_free(&parts);
	return ok;
}

static int process_order(uint32_t a, uint32_t b, const void *ctx)
{
	return global_order(((const int64_t *)ctx)[a], ((const int64_t *)ctx)[b]);
}

/* The rows by process, of which there are few.  The caller frees it. */
static uint32_t *by_process(const int64_t *process, size_t n, int threads)
{
	uint32_t *group = mem_grow(NULL, n, sizeof *group), *rank, *sorted, *order;
	dict found = { 0 };
	size_t *first;

	for (size_t i = 0; i < n; i++)
		group[i] = dict_key(&found, process[i]);
	sorted = mem_new(uint32_t, found.n);
	rank = mem_new(uint32_t, found.n);
	first = mem_new(size_t, found.n + 1);
	for (size_t i = 0; i < found.n; i++)
		sorted[i] = (uint32_t)i;
	sort_items(sorted, found.n, process_order, found.value);
	for (size_t i = 0; i < found.n; i++)
		rank[sorted[i]] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		group[i] = rank[group[i]];
	order = sort_groups(group, n, found.n, threads, first);
	mem_free(group, sorted, rank, first);
	dict_free(&found);
	return order;
}

bool load_syncs(trace *t, int64_t adopter, syncs_raw *raw)
{
	static const char records[] = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
	reading r = { .t = t, .raw = raw, .adopter = adopter };

	columns(t, raw, r.columns);
	r.more = rows_most(t->db, db_find(t->db, records));
	if (!read_table(&r, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"))
		return false;
	r.record = true;
	r.more = 0;
	if (!read_table(&r, records))
		return false;
	raw->by_process = by_process(raw->process, t->syncs.n, t->workers);
	return true;
}

static int by_call(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_syncs *s = ctx;

	if (s->call[a] != s->call[b])
		return sort_3way(s->call[a], s->call[b]);
	if (s->record[a] != s->record[b])
		return sort_3way(s->record[a], s->record[b]);
	if (s->ctx[a] != s->ctx[b])
		return sort_3way(s->ctx[a], s->ctx[b]);
	if (s->stream[a] != s->stream[b])
		return sort_3way(s->stream[a], s->stream[b]);
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
static void keep_one(trace_syncs *s, const uint32_t *rows)
{
	bool by_id = false;

	for (size_t i = 0; i < s->n && !by_id; i++)
		by_id = s->id[rows[i]] != TRACE_UNKNOWN && s->id[rows[i]] != SYNC_NO_EVENT;
	free(by_id ? s->event : s->id);
	*(by_id ? &s->event : &s->id) = NULL;
}

/* Rows are put into buckets of neighbouring calls, each of which a thread puts in order; the last has those without. */
void load_syncs_order(trace *t)
{
	trace_syncs *s = &t->syncs;
	size_t buckets = s->n / BUCKET_ROWS < BUCKETS ? s->n / BUCKET_ROWS + 1 : BUCKETS;
	size_t calls = t->calls.n / buckets + 1;
	uint32_t *bucket = mem_grow(NULL, s->n, sizeof *bucket);
	ordering o = { .rows = s };
	column c[COLUMNS];

	for (size_t i = 0; i < s->n; i++)
		bucket[i] = (uint32_t)(s->call[i] == NONE ? buckets : s->call[i] / calls);
	o.order = sort_groups(bucket, s->n, buckets + 1, t->workers, o.first);
	free(bucket);
	par_do(t->workers, buckets, order_bucket, &o);
	s->n = o.first[buckets];
	keep_one(s, o.order);
	columns(t, &(syncs_raw){ 0 }, c);
	column_order(c, COLUMNS, o.order, s->n, t->workers);
	free(o.order);
}

void load_syncs_free(syncs_raw *raw)
{
	mem_free(raw->process, raw->id, raw->by_process);
}
