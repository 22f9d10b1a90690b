#include "trace/load_calls.h"
#include "base/column.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/acts.h"
#include "trace/call_class.h"
#include "trace/global_id.h"
#include "trace/load_chains.h"

#include <string.h>

enum { START, END, TID, CORR, NAME, CLASS, CHAIN, COLS };
enum { CLASS_BACKTRACE = 67 };  /* eventClass of a row that repeats a call, with its call chain */
enum { THREADS = (1 << 30) - 1 };       /* as many fit in a pair */

/* What one worker reads.  Threads of the trace and names have keys of the part's own. */
struct calls_part {
	rows_part rows;                 /* its calls that are kept */
	dict ids;                       /* global ids of threads */
	vec(ival) span;                 /* by thread */
	vec(launches_ids *) wanted;         /* by thread: the ids of its process's work */
	dict large;                     /* name ids that do not fit 32 bits */
	dict pairs;                     /* pairs of thread and name, */
	vec(size_t) calls;              /* and how many calls each has */
	uint32_t *name;                 /* by key of pairs: that of calls_raw.names */
	trace_acts backs;               /* rows with a call chain: key of ids, chain's id */
	bool too_many;                  /* more threads than THREADS: nothing more is taken */
};

typedef struct {
	trace *t;
	unsigned need;
	const launches *launches;       /* or NULL */
	calls_raw *raw;
	bool all, keep;                 /* keep all calls, or those that launched something */
} reading;

enum { COLUMNS = 6 };

/* NULL those that were not asked for. */
static void columns(trace *t, calls_raw *raw, column *c)
{
	trace_calls *to = &t->calls;
	const column all[COLUMNS] = { COLUMN(to->start), COLUMN(to->thread), COLUMN(to->end), COLUMN(to->class),
		COLUMN(raw->name_key), COLUMN(raw->number) };

	memcpy(c, all, sizeof all);
}

/* Make room for n calls. */
static void make_room(void *ctx, size_t n)
{
	reading *r = ctx;
	trace_calls *c = &r->t->calls;
	const column always[] = { COLUMN(c->start), COLUMN(c->thread) }, end = COLUMN(c->end);
	const column number = COLUMN(r->raw->number), key = COLUMN(r->raw->name_key);

	column_grow(always, 2, n);
	column_grow(&number, r->launches ? 1 : 0, n);
	column_grow(&end, r->need & TRACE_CALL_TIMES ? 1 : 0, n);
	column_grow(&key, r->need & (TRACE_CALL_TIMES | TRACE_CALL_NAMES) ? 1 : 0, n);
}

static void free_part(void *which)
{
	struct calls_part *p = which;

	dict_free(&p->ids);
	dict_free(&p->large);
	dict_free(&p->pairs);
	vec_free(&p->span);
	vec_free(&p->wanted);
	vec_free(&p->calls);
	free(p->name);
	acts_free(&p->backs);
}

static void forget(void *ctx)
{
	reading *r = ctx;

	if (r->launches)
		launches_clear(r->launches);
}

static struct calls_part *part_at(const calls_raw *raw, size_t i)
{
	return rows_part_at(struct calls_part, &raw->parts, i);
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

/* Set up the threads that were not met before. */
static void new_threads(const reading *r, struct calls_part *p)
{
	while (p->span.n < p->ids.n) {
		int64_t id = p->ids.value[p->span.n];
		vec_push(&p->span, IVAL_NOWHERE);
		vec_push(&p->wanted, r->launches ? launches_of(r->launches, global_process(id)) : NULL);
	}
}

/* Find the threads of a batch and widen their spans.  Calls that follow each other are mostly of the same thread.  A
 * call that would end before it starts ends where it starts.  False if there are too many threads. */
static bool find_threads(const reading *r, struct calls_part *p, const rows_batch *b, uint32_t *thread, int64_t *end)
{
	const int64_t *start = b->ints[START], *id = b->ints[TID];

	for (size_t i = 0; i < b->n;) {
		uint32_t key = dict_key(&p->ids, id[i]);
		size_t first = i;
		ival span = IVAL_NOWHERE;
		do {
			thread[i] = key;
			end[i] = b->ints[END][i] < start[i] ? start[i] : b->ints[END][i];
			event_span_widen(&span, start[i], end[i]);
		} while (++i < b->n && id[i] == id[first]);
		new_threads(r, p);
		event_span_widen(&p->span.v[key], span.a, span.b);
	}
	p->too_many = p->ids.n > THREADS;
	return !p->too_many;
}

/* Take the rows with a call chain.  Those that only repeat a call get the thread NONE: they are no calls. */
static void take_backs(struct calls_part *p, const rows_batch *b, uint32_t *thread, const int64_t *end)
{
	for (size_t i = 0; i < b->n; i++) {
		int64_t chain = b->ints[CHAIN] ? b->ints[CHAIN][i] : -1;
		if (chain == (uint32_t)chain)
			acts_add(&p->backs, thread[i], b->ints[START][i], end[i], (uint32_t)chain);
		if (b->ints[CLASS][i] == CLASS_BACKTRACE)
			thread[i] = NONE;
	}
}

/* Count the calls of a batch by thread and name. */
static void count_batch(struct calls_part *p, const rows_batch *b, const uint32_t *thread, uint32_t *pair)
{
	for (size_t i = 0; i < b->n; i++)
		pair[i] = thread[i] == NONE ? NONE : dict_key(&p->pairs, pair_of(p, thread[i], b->ints[NAME][i]));
	while (p->calls.n < p->pairs.n)
		vec_push(&p->calls, 0);
	for (size_t i = 0; i < b->n; i++)
		if (pair[i] != NONE)
			p->calls.v[pair[i]]++;
}

/* Keep the calls of a batch, or those of them that launched something. */
static void keep_batch(reading *r, struct calls_part *p, const rows_batch *b, const uint32_t *thread,
		       const uint32_t *pair, const int64_t *end, const uint32_t *number)
{
	trace_calls *c = &r->t->calls;
	size_t at = p->rows.first + p->rows.n;

	for (size_t i = 0; i < b->n; i++) {
		if (thread[i] == NONE || (!r->all && number[i] == NONE))
			continue;
		c->start[at] = b->ints[START][i];
		c->thread[at] = thread[i];
		if (r->launches)
			r->raw->number[at] = number[i];
		if (c->end)
			c->end[at] = end[i];
		if (r->raw->name_key)
			r->raw->name_key[at] = pair[i];
		at++;
	}
	p->rows.n = at - p->rows.first;
}

static void take(void *ctx, void *to, const rows_batch *b)
{
	reading *r = ctx;
	struct calls_part *p = to;
	uint32_t thread[ROWS_BATCH], pair[ROWS_BATCH], number[ROWS_BATCH];
	int64_t end[ROWS_BATCH];

	if (p->too_many || !find_threads(r, p, b, thread, end))
		return;
	if (b->ints[CLASS])
		take_backs(p, b, thread, end);
	count_batch(p, b, thread, pair);
	for (size_t i = 0; r->launches && i < b->n; i++) {
		const launches_ids *ids = thread[i] == NONE ? NULL : p->wanted.v[thread[i]];
		number[i] = ids ? launches_number(ids, b->ints[CORR][i]) : NONE;
	}
	if (r->keep)
		keep_batch(r, p, b, thread, pair, end, number);
	else if (r->launches)           /* any call will do; other workers may store the same at this moment */
		for (size_t i = 0; i < b->n; i++)
			if (number[i] != NONE)
				__atomic_store_n(&p->wanted.v[thread[i]]->first[number[i]], 0, __ATOMIC_RELAXED);
}

/* Are there more threads than fit in a pair? */
static bool too_many(const calls_raw *raw)
{
	for (size_t i = 0; i < raw->parts.n; i++)
		if (part_at(raw, i)->too_many)
			return true;
	return false;
}

bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw)
{
	const db_table *table = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");
	reading r = { .t = t, .need = need, .launches = l, .raw = raw, .all = need & TRACE_CALLS };
	rows_reader reader = { .part_size = sizeof(struct calls_part), .free_part = free_part, .take = take,
		.room = make_room, .again = forget };
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = "end" },
		[TID] = { .names = "globalTid", .null = -1 },
		[CORR] = { .names = l ? "correlationId" : NULL },
		[NAME] = { .names = "nameId|name", .null = -1 },
	};
	bool backs = db_find(t->db, "CUDA_CALLCHAINS"), chains = need & TRACE_CALL_CHAINS;

	if (!(need & TRACE_CALL_COUNTS))
		return event_span_table(t->db, table, "globalTid", t->workers, &raw->spans);
	c[CLASS].names = backs ? "eventClass" : NULL;
	c[CHAIN] = (rows_col){ .names = backs && chains ? "callchainId" : NULL, .null = -1 };
	r.keep = r.all || need & (TRACE_LAUNCH | TRACE_COMM_LAUNCH);
	reader.kept = r.keep ? "API calls" : NULL;
	if (!rows_read(t->db, table, c, COLS, &reader, &r, t->workers, &raw->parts))
		return false;
	if (too_many(raw))
		return notes_problem(t->say, EXIT_FAILED, "'%s' holds more than %d threads, the most that nsq can read",
				     t->path, THREADS);
	for (size_t i = 0; i < raw->parts.n; i++) {
		struct calls_part *p = part_at(raw, i);
		p->name = mem_new(uint32_t, p->pairs.n);
		for (size_t k = 0; k < p->pairs.n; k++)
			p->name[k] = dict_key(&raw->names, name_of(p, p->pairs.value[k]));
	}
	raw->name = trace_strings(t, &raw->names);
	return raw->name && (!chains || load_chains(t, "CUDA_CALLCHAINS", CHAINS_BY_ADDRESS, &t->call_chains,
						    &raw->chains));
}

void load_calls_ids(const calls_raw *raw, dict *processes, dict *threads)
{
	for (size_t p = 0; p < raw->parts.n; p++)
		for (size_t i = 0; i < part_at(raw, p)->ids.n; i++) {
			dict_key(processes, global_process(part_at(raw, p)->ids.value[i]));
			dict_key(threads, part_at(raw, p)->ids.value[i]);
		}
	for (size_t i = 0; i < raw->spans.ids.n; i++)
		dict_key(processes, global_process(raw->spans.ids.value[i]));
}

static uint32_t *threads_of(const trace *t, const struct calls_part *p)
{
	uint32_t *thread = mem_new(uint32_t, p->ids.n);

	for (size_t i = 0; i < p->ids.n; i++)
		thread[i] = trace_thread_of(t, p->ids.value[i]);
	return thread;
}

/* Tell threads and processes about the calls they made. */
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

/* Threads, classes and names of a part's calls.  name_key becomes the string. */
static void number_part(void *ctx, size_t which)
{
	numbering *n = ctx;
	const struct calls_part *p = part_at(n->raw, which);
	trace_calls *c = &n->t->calls;
	uint32_t *key = n->raw->name_key;

	for (size_t i = p->rows.first; i < p->rows.first + p->rows.n; i++)
		c->thread[i] = n->thread[which][c->thread[i]];
	for (size_t i = p->rows.first; key && i < p->rows.first + p->rows.n; i++) {
		uint32_t name = p->name[key[i]];
		if (c->class)
			c->class[i] = n->class[name];
		key[i] = n->raw->name[name];
	}
}

void load_calls_number(trace *t, unsigned need, calls_raw *raw)
{
	uint8_t *class = mem_new(uint8_t, raw->names.n);
	numbering n = { t, raw, mem_new(uint32_t *, raw->parts.n), class };
	const rows_part *last = raw->parts.n ? &part_at(raw, raw->parts.n - 1)->rows : NULL;
	column c[COLUMNS];

	for (size_t i = 0; i < raw->names.n; i++)
		class[i] = raw->name[i] == STR_NONE ? CALL_OTHER : (uint8_t)call_class(t->names.text[raw->name[i]]);
	for (size_t i = 0; i < raw->parts.n; i++) {
		n.thread[i] = threads_of(t, part_at(raw, i));
		count_calls(t, part_at(raw, i), n.thread[i], class);
	}
	for (size_t i = 0; i < raw->spans.ids.n; i++) {
		t->procs[trace_proc_of(t, raw->spans.ids.value[i])].calls = true;
		trace_widen(t, raw->spans.ids.value[i], raw->spans.span[i], false);
	}
	if (need & TRACE_CALL_TIMES)
		t->calls.class = mem_grow(NULL, last ? last->first + last->n : 0, 1);
	par_do(t->workers, raw->parts.n, number_part, &n);
	columns(t, raw, c);
	t->calls.n = rows_close(&raw->parts, c, COLUMNS);
	column_fit(c, COLUMNS, t->calls.n);
	for (size_t i = 0; i < raw->parts.n; i++)
		free(n.thread[i]);
	mem_free(n.thread, class);
}

typedef struct {
	trace *t;
	calls_raw *raw;
	column columns[COLUMNS];
} order_ctx;

/* The order depends on what the trace says, not on what was asked for: with TRACE_CALL_TIMES names are compared
 * even if they are not wanted.  Without it only starts and threads are loaded, and calls that differ in
 * neither look the same to the caller, in whatever order. */
static int by_time(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *o = ctx;
	const trace_calls *c = &o->t->calls;
	const uint32_t *number = o->raw->number, *name = o->raw->name_key;

	if (c->start[a] != c->start[b])
		return sort_3way(c->start[a], c->start[b]);
	if (c->end && c->end[a] != c->end[b])
		return -sort_3way(c->end[a], c->end[b]);   /* the outer call first */
	if (c->thread[a] != c->thread[b])
		return sort_3way(c->thread[a], c->thread[b]);
	if (c->class && c->class[a] != c->class[b])
		return sort_3way(c->class[a], c->class[b]);
	if (name && name[a] != name[b])
		return str_cmp(&o->t->names, name[a], name[b]);
	return number ? sort_3way(number[a], number[b]) : 0;
}

static void exchange(uint32_t a, uint32_t b, void *ctx)
{
	order_ctx *o = ctx;

	column_swap(o->columns, COLUMNS, a, b);
}

/* A call has the chain of the row of its thread that it lies in, or is: the last of them to start. */
static void find_chains(trace *t, const calls_raw *raw)
{
	trace_calls *c = &t->calls;
	trace_acts backs = { 0 };
	size_t *next = mem_new(size_t, t->nthreads);

	for (size_t k = 0; k < raw->parts.n; k++) {
		const struct calls_part *p = part_at(raw, k);
		for (size_t i = 0; i < p->backs.n; i++)
			acts_add(&backs, trace_thread_of(t, p->ids.value[p->backs.thread[i]]), p->backs.start[i],
				 p->backs.end[i], dict_find(&raw->chains, p->backs.name[i]));
	}
	acts_order(&backs, NULL, t->nthreads, t->workers);
	c->chain = backs.n ? mem_grow(NULL, c->n, sizeof *c->chain) : NULL;
	for (size_t i = 0; backs.n && i < c->n; i++) {
		uint32_t thread = c->thread[i];
		size_t *at = &next[thread], first = backs.first[thread], end = backs.first[thread + 1];
		while (first + *at < end && backs.start[first + *at] <= c->start[i])
			++*at;
		c->chain[i] = *at && backs.end[first + *at - 1] >= c->end[i] ? backs.name[first + *at - 1] : NONE;
	}
	acts_free(&backs);
	free(next);
}

/* Exports are in order of start, except for ties.  If more is out of order, sort properly. */
void load_calls_sort(trace *t, unsigned need, calls_raw *raw)
{
	trace_calls *c = &t->calls;
	order_ctx ctx = { .t = t, .raw = raw };
	uint32_t *order = NULL;

	columns(t, raw, ctx.columns);
	if (!sort_nearly(c->n, c->start, by_time, exchange, &ctx, t->workers))
		order = sort_order(c->n, by_time, &ctx);
	column_order(ctx.columns, COLUMNS, order, c->n, t->workers);
	free(order);
	if (need & TRACE_CALL_NAMES) {
		c->name = raw->name_key;
		raw->name_key = NULL;
	}
	if (c->end)
		c->reach = trace_reach(c->end, c->n, t->workers);
	if (need & TRACE_CALL_CHAINS)
		find_chains(t, raw);
}

void load_calls_free(calls_raw *raw)
{
	rows_parts_free(&raw->parts);
	dict_free(&raw->names);
	dict_free(&raw->chains);
	mem_free(raw->name, raw->number, raw->name_key);
	event_span_free(&raw->spans);
	*raw = (calls_raw){ 0 };
}
