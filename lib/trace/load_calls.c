#include "trace/load_calls.h"
#include "trace/call_class.h"
#include "base/column.h"
#include "cli/errors.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "sqlite/rows.h"
#include "base/sort.h"

#include <string.h>

enum { START, END, TID, CORR, NAME, COLS };
enum { THREADS = (1 << 30) - 1 };       /* fit in a pair */

/* What one thread of ours reads.  Threads of the trace and names have keys of the part's own. */
struct calls_part {
	dict ids;                       /* global ids of threads */
	vec(ival) span;                 /* by thread */
	vec(join_ids *) wanted;         /* by thread: the ids of its process's work */
	dict large;                     /* name ids that do not fit 32 bits */
	dict pairs;                     /* thread and name, */
	vec(size_t) calls;              /* and how many calls of it */
	uint32_t *name;                 /* by key of pairs: that of calls_raw.names */
	size_t first, n;                /* its calls that are kept */
};

typedef struct {
	trace *t;
	unsigned need;
	const join *join;
	calls_raw *raw;
	bool all, keep;                 /* keep all calls, or those that launched something */
	size_t room;
} reading;

enum { COLUMNS = 6 };

/* NULL those that were not asked for. */
static void columns(trace *t, calls_raw *raw, column *c)
{
	trace_calls *to = &t->calls;
	const column all[COLUMNS] = { COLUMN(to->start), COLUMN(to->thread), COLUMN(to->end), COLUMN(to->class),
		COLUMN(to->name), COLUMN(raw->number) };

	memcpy(c, all, sizeof all);
}

/* Room for n calls. */
static void make_room(reading *r, size_t n)
{
	trace_calls *c = &r->t->calls;
	const column always[] = { COLUMN(c->start), COLUMN(c->thread) }, end = COLUMN(c->end);
	const column number = COLUMN(r->raw->number), key = COLUMN(r->raw->name_key);

	if (n >= NONE)
		die(EXIT_FAILED, "a trace holds more than %u API calls, which is more than nsq reads", NONE - 1);
	r->room = n;
	column_grow(always, 2, n);
	column_grow(&number, r->join ? 1 : 0, n);
	column_grow(&end, r->need & TRACE_CALL_TIMES ? 1 : 0, n);
	column_grow(&key, r->need & (TRACE_CALL_TIMES | TRACE_CALL_NAMES) ? 1 : 0, n);
}

static void free_parts(calls_raw *raw)
{
	for (size_t i = 0; i < raw->nparts; i++) {
		struct calls_part *p = &raw->parts[i];
		dict_free(&p->ids);
		dict_free(&p->large);
		dict_free(&p->pairs);
		vec_free(&p->span);
		vec_free(&p->wanted);
		vec_free(&p->calls);
		free(p->name);
	}
	free(raw->parts);
	raw->parts = NULL;
	raw->nparts = 0;
}

static void begin(void *ctx, size_t nparts, const size_t *most)
{
	reading *r = ctx;

	if (r->raw->parts && r->join)
		join_clear(r->join);
	free_parts(r->raw);
	r->raw->parts = mem_new(struct calls_part, nparts);
	r->raw->nparts = nparts;
	for (size_t p = 0; p < nparts && r->keep; p++)
		r->raw->parts[p].first = rows_first(most, p);
	if (r->keep)
		make_room(r, rows_first(most, nparts));
}

/* A thread and a name as one number. */
static inline int64_t pair_of(struct calls_part *p, uint32_t thread, int64_t name)
{
	int64_t large = name != (uint32_t)name;
	uint32_t low = large ? dict_key(&p->large, name) : (uint32_t)name;

	return large << 62 | (int64_t)thread << 32 | low;
}

static uint32_t thread_of(int64_t pair)
{
	return (uint32_t)(pair >> 32 & THREADS);
}

static int64_t name_of(const struct calls_part *p, int64_t pair)
{
	return pair >> 62 & 1 ? p->large.value[(uint32_t)pair] : (uint32_t)pair;
}

/* Threads that were not met before. */
static void new_threads(const reading *r, struct calls_part *p)
{
	if (p->ids.n > THREADS)
		die(EXIT_FAILED, "a trace holds more than %d threads, which is more than nsq reads", THREADS);
	while (p->span.n < p->ids.n) {
		int64_t id = p->ids.value[p->span.n];
		vec_push(&p->span, IVAL_NOWHERE);
		vec_push(&p->wanted, r->join ? join_of(r->join, id >> 24) : NULL);
	}
}

/* Count the calls of a batch: by thread, by thread and name, and when each thread made them.  None ends before
 * it starts. */
static void count_batch(const reading *r, struct calls_part *p, const rows_batch *b, uint32_t *thread, uint32_t *pair,
			int64_t *end)
{
	const int64_t *start = b->ints[START];

	for (size_t i = 0; i < b->n; i++)
		thread[i] = dict_key(&p->ids, b->ints[TID][i]);
	new_threads(r, p);
	for (size_t i = 0; i < b->n; i++)
		pair[i] = dict_key(&p->pairs, pair_of(p, thread[i], b->ints[NAME][i]));
	while (p->calls.n < p->pairs.n)
		vec_push(&p->calls, 0);
	for (size_t i = 0; i < b->n; i++)
		p->calls.v[pair[i]]++;
	for (size_t i = 0; i < b->n; i++) {
		end[i] = b->ints[END][i] < start[i] ? start[i] : b->ints[END][i];
		span_widen(&p->span.v[thread[i]], start[i], end[i]);
	}
}

/* Keep the calls of a batch, or those of them that launched something. */
static void keep_batch(reading *r, struct calls_part *p, const rows_batch *b, const uint32_t *thread, const uint32_t *pair,
		       const int64_t *end, const uint32_t *number)
{
	trace_calls *c = &r->t->calls;
	size_t at = p->first + p->n;

	for (size_t i = 0; i < b->n; i++) {
		if (!r->all && number[i] == NONE)
			continue;
		c->start[at] = b->ints[START][i];
		c->thread[at] = thread[i];
		if (r->join)
			r->raw->number[at] = number[i];
		if (c->end)
			c->end[at] = end[i];
		if (r->raw->name_key)
			r->raw->name_key[at] = pair[i];
		at++;
	}
	p->n = at - p->first;
}

static void take(void *ctx, size_t which, const rows_batch *b)
{
	reading *r = ctx;
	struct calls_part *p = &r->raw->parts[which];
	uint32_t thread[ROWS_BATCH], pair[ROWS_BATCH], number[ROWS_BATCH];
	int64_t end[ROWS_BATCH];

	if (r->keep && p->first + p->n + b->n > r->room)        /* the library does not say how many there are */
		make_room(r, 2 * (p->n + b->n));
	count_batch(r, p, b, thread, pair, end);
	for (size_t i = 0; r->join && i < b->n; i++) {
		const join_ids *ids = p->wanted.v[thread[i]];
		number[i] = ids ? join_number(ids, b->ints[CORR][i]) : NONE;
	}
	if (r->keep)
		keep_batch(r, p, b, thread, pair, end, number);
	else if (r->join)               /* any call will do; others may say the same at this moment */
		for (size_t i = 0; i < b->n; i++)
			if (number[i] != NONE)
				__atomic_store_n(&p->wanted.v[thread[i]]->first[number[i]], 0, __ATOMIC_RELAXED);
}

bool calls_scan(trace *t, unsigned need, const join *j, calls_raw *raw)
{
	const db_table *table = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");
	reading r = { .t = t, .need = need, .join = j, .raw = raw, .all = need & TRACE_CALLS };
	rows_reader reader = { begin, false, take };
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = "end" },
		[TID] = { .names = "globalTid", .null = -1 },
		[CORR] = { .names = j ? "correlationId" : NULL },
		[NAME] = { .names = "nameId|name", .null = -1 },
	};

	if (!j && !r.all && !(need & TRACE_CALL_COUNTS))
		return span_table(t->db, table, "globalTid", &raw->spans);
	r.keep = reader.count = r.all || need & (TRACE_LAUNCH | TRACE_COMM_LAUNCH);
	if (!rows_read(t->db, table, c, COLS, &reader, &r))
		return false;
	for (size_t i = 0; i < raw->nparts; i++) {
		struct calls_part *p = &raw->parts[i];
		p->name = mem_new(uint32_t, p->pairs.n);
		for (size_t k = 0; k < p->pairs.n; k++)
			p->name[k] = dict_key(&raw->names, name_of(p, p->pairs.value[k]));
	}
	raw->name = trace_strings(t, &raw->names);
	return raw->name;
}

void calls_ids(const calls_raw *raw, dict *processes, dict *threads)
{
	for (size_t p = 0; p < raw->nparts; p++)
		for (size_t i = 0; i < raw->parts[p].ids.n; i++) {
			dict_key(processes, raw->parts[p].ids.value[i] >> 24);
			dict_key(threads, raw->parts[p].ids.value[i]);
		}
	for (size_t i = 0; i < raw->spans.ids.n; i++)
		dict_key(processes, raw->spans.ids.value[i] >> 24);
}

static uint32_t *threads_of(const trace *t, const struct calls_part *p)
{
	uint32_t *thread = mem_new(uint32_t, p->ids.n);

	for (size_t i = 0; i < p->ids.n; i++)
		thread[i] = trace_thread_of(t, p->ids.value[i]);
	return thread;
}

/* What is known of each thread once its calls are read. */
static void count_calls(trace *t, const struct calls_part *p, const uint32_t *thread, const uint8_t *class)
{
	for (size_t i = 0; i < p->ids.n; i++) {
		t->procs[t->threads[thread[i]].proc].calls = true;
		trace_widen(t, p->ids.value[i], p->span.v[i], false);
	}
	for (size_t i = 0; i < p->pairs.n; i++) {
		trace_thread *th = &t->threads[thread[thread_of(p->pairs.value[i])]];
		th->calls += p->calls.v[i];
		if (class[p->name[i]] == CALL_LAUNCH)
			t->procs[th->proc].launches += p->calls.v[i];
	}
}

typedef struct {
	trace *t;
	calls_raw *raw;
	uint32_t **thread;      /* by part and its key */
	const uint8_t *class;   /* by key of raw->names */
} numbering;

/* Threads, classes and names of a part's calls. */
static void number_part(void *ctx, size_t which)
{
	numbering *n = ctx;
	const struct calls_part *p = &n->raw->parts[which];
	trace_calls *c = &n->t->calls;
	uint32_t *key = n->raw->name_key;

	for (size_t i = p->first; i < p->first + p->n; i++)
		c->thread[i] = n->thread[which][c->thread[i]];
	for (size_t i = p->first; c->class && i < p->first + p->n; i++)
		c->class[i] = n->class[p->name[key[i]]];
	for (size_t i = p->first; c->name && i < p->first + p->n; i++)
		c->name[i] = n->raw->name[p->name[key[i]]];
}

/* Calls that were not kept leave a hole at the end of their part: close it. */
static void close_holes(trace *t, calls_raw *raw)
{
	column c[COLUMNS];

	columns(t, raw, c);
	for (size_t i = 0; i < raw->nparts; t->calls.n += raw->parts[i++].n)
		column_move(c, COLUMNS, t->calls.n, raw->parts[i].first, raw->parts[i].n);
}

void calls_number(trace *t, unsigned need, calls_raw *raw)
{
	uint8_t *class = mem_new(uint8_t, raw->names.n);
	numbering n = { t, raw, mem_new(uint32_t *, raw->nparts), class };
	size_t room = raw->nparts ? raw->parts[raw->nparts - 1].first + raw->parts[raw->nparts - 1].n : 0;

	for (size_t i = 0; i < raw->names.n; i++)
		class[i] = raw->name[i] == STR_NONE ? CALL_OTHER : (uint8_t)call_class(t->names.text[raw->name[i]]);
	for (size_t i = 0; i < raw->nparts; i++) {
		n.thread[i] = threads_of(t, &raw->parts[i]);
		count_calls(t, &raw->parts[i], n.thread[i], class);
	}
	for (size_t i = 0; i < raw->spans.ids.n; i++) {
		t->procs[trace_proc_of(t, raw->spans.ids.value[i])].calls = true;
		trace_widen(t, raw->spans.ids.value[i], raw->spans.span[i], false);
	}
	if (need & TRACE_CALL_TIMES)
		t->calls.class = mem_grow(NULL, room, 1);
	if (need & TRACE_CALL_NAMES)            /* in the place of the key */
		t->calls.name = raw->name_key;
	par_do(t->db->threads, raw->nparts, number_part, &n);
	if (!(need & TRACE_CALL_NAMES))
		free(raw->name_key);
	raw->name_key = NULL;
	close_holes(t, raw);
	for (size_t i = 0; i < raw->nparts; i++)
		free(n.thread[i]);
	free(n.thread);
	free(class);
}

typedef struct {
	trace *t;
	calls_raw *raw;
	column columns[COLUMNS];
} order_ctx;

static int by_time(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *o = ctx;
	const trace_calls *c = &o->t->calls;
	const uint32_t *number = o->raw->number;

	if (c->start[a] != c->start[b])
		return sort_3way(c->start[a], c->start[b]);
	if (c->end && c->end[a] != c->end[b])
		return -sort_3way(c->end[a], c->end[b]);   /* the outer call first */
	if (c->thread[a] != c->thread[b])
		return sort_3way(c->thread[a], c->thread[b]);
	if (c->name && c->name[a] != c->name[b])
		return str_cmp(&o->t->names, c->name[a], c->name[b]);
	if (c->class && c->class[a] != c->class[b])
		return sort_3way(c->class[a], c->class[b]);
	return number ? sort_3way(number[a], number[b]) : 0;
}

static void exchange(uint32_t a, uint32_t b, void *ctx)
{
	order_ctx *o = ctx;

	column_swap(o->columns, COLUMNS, a, b);
}

/* The export is in order of start but for ties; where it is not, sort in earnest. */
void calls_sort(trace *t, calls_raw *raw)
{
	trace_calls *c = &t->calls;
	order_ctx ctx = { .t = t, .raw = raw };
	uint32_t *order = NULL;

	columns(t, raw, ctx.columns);
	if (!sort_nearly(c->n, by_time, exchange, &ctx))
		order = sort_order(c->n, by_time, &ctx);
	column_order(ctx.columns, COLUMNS, order, c->n, t->db->threads);
	free(order);
	if (c->end)
		c->reach = trace_reach(c->end, c->n);
}

void calls_raw_free(calls_raw *raw)
{
	free_parts(raw);
	dict_free(&raw->names);
	free(raw->name);
	free(raw->number);
	free(raw->name_key);
	span_free(&raw->spans);
}
