#include "trace/memory_events.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"
#include "sqlite/rows.h"

enum { START, PID, GPU, BYTES, KIND, OPERATION, CORR, COLS };
enum { ALLOCATED, FREED };      /* values of memoryOperationType */

typedef struct {
	memory_event e;
	size_t place;           /* index into memory_events.places; before memory_events_sort_rows, the number of the
				 * place in part.places */
} row;

typedef struct {
	rows_part rows;
	group places;           /* numbers the distinct (globalPid, GPU, kind) */
	vec(row) v;
	size_t odd;             /* the number of rows that are neither allocations nor frees, or have no size */
} part;

bool memory_events_has(const trace *t)
{
	return db_find(t->db, "CUDA_GPU_MEMORY_USAGE_EVENTS");
}

static enum memory_kind memory_events_kind_of(int64_t mem_kind)
{
	static const enum memory_kind kinds[] = { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_ARRAY,
		MEMORY_MANAGED, MEMORY_STATIC, MEMORY_STATIC };

	return mem_kind >= 0 && mem_kind < (int64_t)(sizeof kinds / sizeof *kinds) ? kinds[mem_kind] : MEMORY_UNKNOWN;
}

const char *memory_kind_name(enum memory_kind kind)
{
	static const char *const names[] = { "device", "pinned", "managed", "static", "array", "pageable", "unknown" };

	return names[kind];
}

static void memory_events_free_part(void *which)
{
	part *p = which;

	group_free(&p->places);
	vec_free(&p->v);
}

static void memory_events_take_rows(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	part *p = to;

	p->places.width = 3;
	for (size_t i = 0; i < b->n; i++) {
		int64_t operation = b->ints[OPERATION][i], bytes = b->ints[BYTES][i];
		if ((operation != ALLOCATED && operation != FREED) || bytes < 0) {
			p->odd++;
			continue;
		}
		vec_push(&p->v, (row){
			.e = { .start = b->ints[START][i], .bytes = bytes, .corr = b->ints[CORR][i],
				.freed = operation == FREED },
			.place = group_of(&p->places, (int64_t[]){ b->ints[PID][i], b->ints[GPU][i],
				memory_events_kind_of(b->ints[KIND][i]) }) });
	}
}

static int memory_events_compare_places(const void *x, const void *y)
{
	const memory_place *a = x, *b = y;

	return a->proc != b->proc ? sort_3way(a->proc, b->proc) : a->gpu != b->gpu ? sort_3way(a->gpu, b->gpu) :
		sort_3way(a->kind, b->kind);
}

static int memory_events_compare_rows(const void *x, const void *y)
{
	const row *a = x, *b = y;

	return a->place != b->place ? sort_3way(a->place, b->place) :
		a->e.start != b->e.start ? sort_3way(a->e.start, b->e.start) :
		a->e.freed != b->e.freed ? a->e.freed - b->e.freed :
		a->e.bytes != b->e.bytes ? sort_3way(b->e.bytes, a->e.bytes) : sort_3way(a->e.corr, b->e.corr);
}

static memory_place memory_events_place_of(const trace *t, const int64_t *key)
{
	return (memory_place){ .proc = trace_proc_of(t, key[0]), .gpu = key[1], .kind = (enum memory_kind)key[2] };
}

/* List the distinct places of all parts, sorted. */
static void memory_events_list_places(const trace *t, const rows_parts *parts, memory_events *out)
{
	vec(memory_place) all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->places.n; k++)
			vec_push(&all, memory_events_place_of(t, &p->places.key[3 * k]));
	}
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, memory_events_compare_places);
	for (size_t i = 0; i < all.n; i++)
		if (!i || memory_events_compare_places(&all.v[i - 1], &all.v[i]) != 0)
			all.v[n++] = all.v[i];
	out->places = all.v;
	out->nplaces = n;
}

/* Collect the rows of all parts, sorted by place and time.  The caller frees the array of *n rows. */
static row *memory_events_sort_rows(const trace *t, const rows_parts *parts, const memory_events *m, size_t *n)
{
	vec(row) all = { 0 };

	for (size_t i = 0; i < parts->n; i++) {
		part *p = rows_part_at(part, parts, i);
		size_t *place = mem_new(size_t, p->places.n);
		for (size_t k = 0; k < p->places.n; k++) {
			memory_place key = memory_events_place_of(t, &p->places.key[3 * k]), *at;
			at = bsearch(&key, m->places, m->nplaces, sizeof key, memory_events_compare_places);
			place[k] = (size_t)(at - m->places);
		}
		for (size_t k = 0; k < p->v.n; k++) {
			p->v.v[k].place = place[p->v.v[k].place];
			vec_push(&all, p->v.v[k]);
		}
		vec_free(&p->v);
		free(place);
	}
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, memory_events_compare_rows);
	*n = all.n;
	return all.v;
}

/* The bytes that are allocated after an event.  A damaged file may hold any numbers, so the sum may wrap around; it is
 * computed with unsigned numbers, for which C defines wrapping. */
static int64_t memory_events_live_bytes_after(int64_t before, const memory_event *e)
{
	return (int64_t)((uint64_t)before + (e->freed ? -(uint64_t)e->bytes : (uint64_t)e->bytes));
}

/* Copy the rows that are events to out->events, and set memory_event.live and the members of each place.  `rows` must
 * be sorted. */
static void memory_events_fill_places(const row *rows, size_t n, memory_events *out)
{
	size_t kept = 0;

	out->events = mem_new(memory_event, n);
	for (size_t i = 0; i < n; i++) {
		memory_place *p = &out->places[rows[i].place];
		if (rows[i].e.start == 0) {
			p->before = memory_events_live_bytes_after(p->before, &rows[i].e);
			continue;
		}
		if (!p->n)
			p->v = &out->events[kept];
		out->events[kept] = rows[i].e;
		out->events[kept].live = memory_events_live_bytes_after(p->n ? out->events[kept - 1].live : p->before,
									&rows[i].e);
		kept++;
		p->n++;
	}
}

bool memory_events_load(trace *t, memory_events *out)
{
	static const rows_reader reader = { .part_size = sizeof(part),
					    .free_part = memory_events_free_part,
					    .take = memory_events_take_rows };
	rows_col c[COLS] = { [START] = { .names = "start", .from_zero = true },
		[PID] = { .names = "globalPid", .null = -1 }, [GPU] = { .names = "deviceId" },
		[BYTES] = { .names = "bytes", .null = -1 }, [KIND] = { .names = "memKind", .null = -1 },
		[OPERATION] = { .names = "memoryOperationType", .null = -1 }, [CORR] = { .names = "correlationId" } };
	rows_parts parts = { 0 };
	bool ok = rows_read(t->db, db_find(t->db, "CUDA_GPU_MEMORY_USAGE_EVENTS"), c, COLS, &reader, NULL, t->workers,
			    &parts);
	size_t n, odd = 0;
	row *rows;

	if (ok) {
		memory_events_list_places(t, &parts, out);
		rows = memory_events_sort_rows(t, &parts, out, &n);
		memory_events_fill_places(rows, n, out);
		free(rows);
	}
	for (size_t i = 0; i < parts.n; i++)
		odd += rows_part_at(part, &parts, i)->odd;
	db_lock(t->db);
	if (ok && odd)
		notes_warn(t->say, "%zu memory events in '%s' are neither allocations nor frees of a known size, and "
			   "left out", odd, t->path);
	db_unlock(t->db);
	rows_parts_free(&parts);
	return ok;
}

void memory_events_free(memory_events *m)
{
	mem_free(m->places, m->events);
	*m = (memory_events){ 0 };
}

/* ---- the calls of events */

enum { CALL_START, CALL_THREAD, CALL_CORR, CALL_COLS };

typedef struct {
	rows_part rows;
	memory_call *found;     /* a copy of call_search.calls, with the threads and starts that this worker has
				 * found */
} call_part;

typedef struct {
	const trace *t;
	memory_call *calls;     /* the calls to find, sorted by correlation id */
	size_t n;
	dict ids;               /* the distinct correlation ids of these calls, in order */
	vec(size_t) first;      /* by key of ids: index of the first of these calls with the id */
} call_search;

static void memory_events_free_call_part(void *which)
{
	free(((call_part *)which)->found);
}

/* Set the thread and the start of `to` to those of a call, unless `to` has a call that starts earlier, or at the same
 * time on a lower thread.  thread NONE: do nothing. */
static void memory_events_keep_first(memory_call *to, uint32_t thread, int64_t start)
{
	bool first = to->thread == NONE || start < to->start || (start == to->start && thread < to->thread);

	if (thread != NONE && first) {
		to->thread = thread;
		to->start = start;
	}
}

static void memory_events_take_calls(void *ctx, void *to, const rows_batch *b)
{
	const call_search *f = ctx;
	call_part *p = to;

	if (!p->found) {
		p->found = mem_new(memory_call, f->n);
		memcpy(p->found, f->calls, f->n * sizeof *p->found);
	}
	for (size_t i = 0; i < b->n; i++) {
		uint32_t k = dict_find(&f->ids, b->ints[CALL_CORR][i]);
		uint32_t proc = k == DICT_NONE ? NONE : trace_proc_of(f->t, b->ints[CALL_THREAD][i]);
		size_t c = k == DICT_NONE ? f->n : f->first.v[k];
		for (; c < f->n && f->calls[c].corr == b->ints[CALL_CORR][i]; c++)
			if (f->calls[c].proc == proc)
				memory_events_keep_first(&p->found[c], trace_thread_of(f->t, b->ints[CALL_THREAD][i]),
							 b->ints[CALL_START][i]);
	}
}

bool memory_events_find_calls(const trace *t, memory_call *calls, size_t n)
{
	static const rows_reader reader = { .part_size = sizeof(call_part), .free_part = memory_events_free_call_part,
		.take = memory_events_take_calls };
	rows_col c[CALL_COLS] = { [CALL_START] = { .names = "start", .from_zero = true },
		[CALL_THREAD] = { .names = "globalTid", .null = -1 }, [CALL_CORR] = { .names = "correlationId" } };
	call_search f = { .t = t, .calls = calls, .n = n };
	rows_parts parts = { 0 };
	bool ok;

	for (size_t i = 0; i < n; i++) {
		calls[i].thread = NONE;
		if (dict_key(&f.ids, calls[i].corr) == f.first.n)
			vec_push(&f.first, i);
	}
	ok = !n || rows_read(t->db, db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME"), c, CALL_COLS, &reader, &f,
			     t->workers, &parts);
	for (size_t i = 0; ok && i < parts.n; i++) {
		const memory_call *found = rows_part_at(call_part, &parts, i)->found;
		for (size_t k = 0; found && k < n; k++)
			memory_events_keep_first(&calls[k], found[k].thread, found[k].start);
	}
	rows_parts_free(&parts);
	dict_free(&f.ids);
	vec_free(&f.first);
	return ok;
}
