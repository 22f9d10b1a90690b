#include "trace/load_syncs.h"
#include "base/column.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/global_id.h"
#include "trace/launches.h"
#include "trace/sync_calls.h"

#include <string.h>

enum { PID, CTX, STREAM, CORR, EVENT, ID, COLS };
enum { COLUMNS = 5 };

typedef struct {                /* the calls whose rows are kept, and how to find the call of a row */
	trace *t;
	const int64_t *corr;    /* by call */
	const uint8_t *kind;    /* by index into calls.kinds: enum sync_call */
	uint32_t *v;            /* indices of these calls, sorted by process, then correlation id.  If several calls
				 * have the same id, rows belong to the first of them (launches_precedes) */
	int64_t *id;            /* by index into v: the correlation id of the call */
	size_t *first;          /* by process: where its calls begin in v; one more entry is the end of the last
				 * process's calls */
} call_index;

typedef struct {                /* where to search for the call of the next row with a certain globalPid */
	bool in_use;
	int64_t pid;            /* this globalPid */
	uint32_t proc;          /* its process, or NONE */
	size_t recent;          /* index into call_index.v: the process's first call whose id is at least `last` */
	int64_t last;           /* correlation id of the previous row with this globalPid; INT64_MAX: none so far */
} pid_cursor;

typedef struct {
	rows_part rows;
	pid_cursor cursors[64]; /* by a hash of the globalPid: the cursor used last */
	group places;           /* numbers the distinct (process, context, stream); until load_syncs_number_places,
				 * trace_syncs.place holds these numbers */
} part;

typedef struct {
	trace *t;
	call_index calls;
	group places;           /* numbers the distinct places of all parts */
	rows_parts parts;
	int64_t adopter;        /* the process of rows without a globalPid */
	bool reads_records;     /* is the table of records being read? */
	size_t more;            /* the largest possible number of rows of the tables that are read after this one */
	size_t room;            /* number of rows that the columns have room for */
	column columns[COLUMNS];
} load_syncs_ctx;

/* ---- finding the call of a row */

static int load_syncs_compare_ids(uint32_t a, uint32_t b, const void *ctx)
{
	const call_index *c = ctx;
	int64_t x = c->corr[a], y = c->corr[b];

	return x != y ? sort_3way(x, y) : launches_precedes(&c->t->calls, a, b) ? -1 : 1;
}

/* Are rows of calls of this kind (enum sync_call) kept?  They are if a row says what its call or a stream waits for, or
 * what the call records. */
static bool load_syncs_keeps_rows(uint8_t kind)
{
	return sync_call_has_row(kind) || kind == SYNC_CALL_RECORD;
}

static call_index load_syncs_find_calls(trace *t, const int64_t *corr)
{
	call_index c = { .t = t, .corr = corr, .kind = sync_calls(t), .first = mem_new(size_t, t->nprocs + 1) };
	uint32_t *proc = mem_new(uint32_t, t->calls.nkinds);

	for (size_t i = 0; i < t->calls.nkinds; i++)
		proc[i] = load_syncs_keeps_rows(c.kind[i]) ? t->threads[t->calls.kinds[i].thread].proc : NONE;
	c.v = sort_groups_of(t->calls.kind, proc, t->calls.n, t->nprocs, c.first);
	for (size_t p = 0; p < t->nprocs; p++)
		sort_items_by(c.v + c.first[p], c.first[p + 1] - c.first[p], corr, load_syncs_compare_ids, &c);
	free(proc);
	c.id = mem_new(int64_t, c.first[t->nprocs]);
	for (size_t i = 0; i < c.first[t->nprocs]; i++)
		c.id[i] = corr[c.v[i]];
	return c;
}

/* The index of the call of a row with this correlation id, or NONE.  Rows are mostly in the order of the calls, so the
 * next few calls are tried first. */
static uint32_t load_syncs_find_call(const call_index *c, pid_cursor *cursor, int64_t id)
{
	enum { NEXT = 4 };
	size_t end = cursor->proc == NONE ? 0 : c->first[cursor->proc + 1], near_end = cursor->recent + NEXT;

	if (!end || !id)
		return NONE;
	near_end = id <= cursor->last ? 0 : near_end < end ? near_end : end;
	while (cursor->recent < near_end && c->id[cursor->recent] < id)
		cursor->recent++;
	if (cursor->recent >= near_end)
		search_near(cursor->recent, cursor->recent, c->first[cursor->proc], end, c->id[cursor->recent] >= id);
	cursor->last = id;
	return cursor->recent < end && c->id[cursor->recent] == id ? c->v[cursor->recent] : NONE;
}

/* ---- reading rows */

static void load_syncs_make_room(void *ctx, size_t n)
{
	load_syncs_ctx *r = ctx;

	if (n > r->room || !r->room)
		column_grow(r->columns, COLUMNS, r->room = n + r->more);
}

static void load_syncs_free_part(void *which)
{
	group_free(&((part *)which)->places);
}

static pid_cursor *load_syncs_find_cursor(const load_syncs_ctx *r, part *p, int64_t pid)
{
	pid_cursor *cursor = &p->cursors[(uint64_t)pid * 0x9e3779b97f4a7c15u >> 58];

	if (!cursor->in_use || cursor->pid != pid)
		*cursor = (pid_cursor){ true, pid, trace_proc_of(r->t, pid == -1 ? global_first(r->adopter) : pid), 0,
			INT64_MAX };
	return cursor;
}

/* Keep the rows that belong to one of r->calls.  A call that records an event can have rows in both tables; only its
 * rows in the table of records are kept. */
static void load_syncs_take_rows(void *ctx, void *to, const rows_batch *b)
{
	load_syncs_ctx *r = ctx;
	part *p = to;
	const trace *t = r->t;
	const trace_syncs *s = &t->syncs;

	p->places.width = 3;
	for (size_t i = 0; i < b->n; i++) {
		pid_cursor *cursor = load_syncs_find_cursor(r, p, b->ints[PID][i]);
		uint32_t call = load_syncs_find_call(&r->calls, cursor, b->ints[CORR][i]);
		size_t row = p->rows.first + p->rows.n;
		if (call == NONE || !(r->reads_records || sync_call_has_row(r->calls.kind[t->calls.kind[call]])))
			continue;
		s->call[row] = call;
		s->place[row] = (uint32_t)group_of_width(&p->places, 3, (int64_t[]){ t->procs[cursor->proc].id,
			b->ints[CTX][i], b->ints[STREAM][i] });
		p->rows.n++;
		s->event[row] = b->ints[EVENT][i];
		s->id[row] = b->ints[ID][i];
		s->record[row] = r->reads_records;
	}
}

/* Turn the numbers of places in each part into numbers of r->places. */
static void load_syncs_number_places(load_syncs_ctx *r)
{
	for (size_t i = 0; i < r->parts.n; i++) {
		const part *p = rows_part_at(part, &r->parts, i);
		uint32_t *place = mem_new(uint32_t, p->places.n);
		for (size_t k = 0; k < p->places.n; k++)
			place[k] = (uint32_t)group_of(&r->places, &p->places.key[3 * k]);
		for (uint32_t *at = r->t->syncs.place + p->rows.first, *end = at + p->rows.n; at < end; at++)
			*at = place[*at];
		free(place);
	}
}

static bool load_syncs_read_table(load_syncs_ctx *r, const char *name)
{
	static const rows_reader reader = { .part_size = sizeof(part),
					    .free_part = load_syncs_free_part,
					    .take = load_syncs_take_rows,
					    .kept = "synchronizations",
					    .room = load_syncs_make_room };
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
		load_syncs_number_places(r);
		r->t->syncs.n = rows_close_gaps(&r->parts, r->columns, COLUMNS);
	}
	rows_parts_free(&r->parts);
	return ok;
}

static int load_syncs_compare_rows(uint32_t a, uint32_t b, const void *ctx)
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

/* Keep s->id if any row says which record it means, otherwise s->event, and free the other. */
static void load_syncs_keep_id_or_event(trace_syncs *s)
{
	bool by_id = false;

	for (size_t i = 0; i < s->n && !by_id; i++)
		by_id = s->id[i] != TRACE_UNKNOWN && s->id[i] != SYNC_NO_EVENT;
	free(by_id ? s->event : s->id);
	*(by_id ? &s->event : &s->id) = NULL;
}

/* Sort the rows by call.  `end` is scratch memory with an element for each call of the trace. */
static void load_syncs_order_rows(trace *t, const column *columns, size_t n, uint32_t *end)
{
	trace_syncs *s = &t->syncs;
	uint32_t *order = mem_grow(NULL, s->n, sizeof *order), before = 0;

	memset(end, 0, t->calls.n * sizeof *end);
	for (size_t i = 0; i < s->n; i++)
		end[s->call[i]]++;
	for (size_t i = 0; i < t->calls.n; i++) {
		uint32_t rows = end[i];
		end[i] = before;
		before += rows;
	}
	for (size_t i = 0; i < s->n; i++)
		order[end[s->call[i]]++] = (uint32_t)i;
	for (size_t i = 0; i < t->calls.n; i++) {
		uint32_t first = i ? end[i - 1] : 0;
		if (end[i] - first > 1)
			sort_items(order + first, end[i] - first, load_syncs_compare_rows, s);
	}
	load_syncs_keep_id_or_event(s);
	column_order(columns, n, order, s->n);
	free(order);
}

bool load_syncs(trace *t, int64_t adopter, const int64_t *corr)
{
	static const char records[] = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
	trace_syncs *s = &t->syncs;
	load_syncs_ctx r = { .t = t,
			     .calls = load_syncs_find_calls(t, corr),
			     .places = { .width = 3 },
			     .adopter = adopter,
			     .more = rows_at_most(t->db, db_find(t->db, records)),
			     .columns = { COLUMN(s->call), COLUMN(s->place), COLUMN(s->event), COLUMN(s->id),
					  COLUMN(s->record) } };
	bool ok;

	ok = load_syncs_read_table(&r, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
	r.reads_records = true;
	r.more = 0;
	ok = ok && load_syncs_read_table(&r, records);
	if (ok) {
		s->nplaces = r.places.n;
		s->places = mem_new(trace_sync_place, s->nplaces);
		for (size_t i = 0; i < s->nplaces; i++)
			s->places[i] = (trace_sync_place){ r.places.key[3 * i], r.places.key[3 * i + 1],
				r.places.key[3 * i + 2] };
		column_shrink(r.columns, COLUMNS, s->n);
		load_syncs_order_rows(t, r.columns, COLUMNS, r.calls.v);
	}
	mem_free(r.calls.v, r.calls.id, r.calls.first);
	group_free(&r.places);
	return ok;
}
