#include "trace/load_calls.h"
#include "base/column.h"
#include "base/memory.h"
#include "base/sort.h"
#include "trace/global_id.h"
#include "trace/load_chains.h"

#include <string.h>

enum { START, END, TID, CORR, NAME, CLASS, CHAIN, RETURNED, COLS };

typedef struct {
	trace *t;
	const launches *launches;       /* NULL: launches are not needed */
	calls_raw *raw;
	bool all;                       /* keep all calls, not only those that launched work */
} load_calls_ctx;

static void load_calls_make_room(void *ctx, size_t n)
{
	load_calls_ctx *r = ctx;
	trace_calls *c = &r->t->calls;
	const column always[] = { COLUMN(c->start), COLUMN(c->end), COLUMN(c->kind) };
	const column corr = COLUMN(r->raw->corr);

	column_grow(always, 3, n);
	column_grow(&corr, r->launches ? 1 : 0, n);
}

static void load_calls_free_part(void *which)
{
	calls_part *p = which;

	group_free(&p->pairs);
	vec_free(&p->pairs_of);
	mem_free(p->name, p->kind);
	thread_events_list_free(&p->chain_rows);
}

static __attribute__((noinline)) uint32_t load_calls_find_pair(const load_calls_ctx *r, calls_part *p,
							       int64_t thread, int64_t name)
{
	size_t pair;

	p->pairs.width = 2;
	pair = group_of(&p->pairs, (int64_t[]){ thread, name });
	if (pair == p->pairs_of.n)
		vec_push(&p->pairs_of, (calls_of_pair){ thread, name,
			 r->launches ? launches_of(r->launches, global_process(thread)) : NULL, .span = IVAL_NOWHERE });
	return (uint32_t)pair;
}

/* What is found out about the rows of a batch: an element for each row, except in `launching`. */
typedef struct {
	uint32_t pair[ROWS_BATCH];              /* the number of its pair of thread and name */
	int64_t end[ROWS_BATCH];                /* the end of the call; its start, if the end lies before that */
	uint32_t launching[ROWS_BATCH];         /* if not all calls are needed: indices of the rows that launched work,
						 * which are the only ones that are kept */
	size_t n;                               /* number of rows in launching */
	bool is_repeat[ROWS_BATCH];             /* the row only repeats a call */
} batch_values;

/* Find the pair of each row.  The other members of batch_values are computed in other loops, because one loop for
 * everything would need more registers than the CPU has. */
static void load_calls_find_pairs(const load_calls_ctx *r, calls_part *p, const rows_batch *b, batch_values *f)
{
	const int64_t *id = b->ints[TID], *name = b->ints[NAME];
	const calls_of_pair *v;

	if (!p->pairs_of.n)
		load_calls_find_pair(r, p, id[0], name[0]);
	v = p->pairs_of.v;
	for (size_t i = 0, n = b->n; i < n; i++) {
		uint64_t hash = ((uint64_t)id[i] + (uint64_t)name[i] * 0xc2b2ae3d27d4eb4fu) * 0x9e3779b97f4a7c15u;
		uint32_t at = p->recent[hash >> 54];
		if (v[at].thread != id[i] || v[at].name != name[i]) {
			at = p->recent[hash >> 54] = load_calls_find_pair(r, p, id[i], name[i]);
			v = p->pairs_of.v;
		}
		f->pair[i] = at;
	}
}

/* Set the end of each row, and count the row in its pair.  load_calls_take_chains subtracts rows that repeat a call. */
static void load_calls_count_calls(calls_part *p, const rows_batch *b, batch_values *f)
{
	const int64_t *start = b->ints[START], *stop = b->ints[END];

	for (size_t i = 0, n = b->n; i < n; i++) {
		calls_of_pair *pair = &p->pairs_of.v[f->pair[i]];
		int64_t from = start[i], to = stop[i] < from ? from : stop[i];
		f->end[i] = to;
		pair->calls++;
		if (from > pair->last)
			pair->last = from;
		event_span_widen(&pair->span, from, to);
	}
}

static void load_calls_find_launching_rows(const calls_part *p, const rows_batch *b, batch_values *f)
{
	const int64_t *corr = b->ints[CORR];
	const calls_of_pair *v = p->pairs_of.v;
	size_t found = 0;

	for (size_t i = 0, n = b->n; i < n; i++) {
		const calls_of_pair *pair = &v[f->pair[i]];
		f->launching[found] = (uint32_t)i;
		found += pair->wanted && launches_find_slot(pair->wanted, corr[i]);
	}
	f->n = found;
}

/* Collect the rows with a call chain, and mark the rows that only repeat a call.  These do not count as calls. */
static void load_calls_take_chains(calls_part *p, const rows_batch *b, batch_values *f)
{
	for (size_t i = 0; i < b->n; i++) {
		int64_t chain = b->ints[CHAIN] ? b->ints[CHAIN][i] : -1;
		if (chain == (uint32_t)chain)
			thread_events_add(&p->chain_rows, f->pair[i], b->ints[START][i], f->end[i], (uint32_t)chain);
		f->is_repeat[i] = b->ints[CLASS][i] == CALLS_BACKTRACE;
		p->pairs_of.v[f->pair[i]].calls -= f->is_repeat[i];
	}
}

/* Is this return value an error?  34 comes from a stub library, and 600 says that work is not ready yet; neither counts
 * as an error. */
static bool load_calls_is_failure(int64_t returned)
{
	return returned != 0 && returned != 34 && returned != 600;
}

/* Count the calls that failed.  Most batches have none, so the first loop is all that runs for them. */
static void load_calls_count_failures(calls_part *p, const rows_batch *b, const batch_values *f)
{
	const int64_t *returned = b->ints[RETURNED];
	int64_t any = 0;

	for (size_t i = 0, n = b->n; i < n; i++)
		any |= returned[i];
	for (size_t i = 0, n = any ? b->n : 0; i < n; i++) {
		calls_of_pair *pair = &p->pairs_of.v[f->pair[i]];
		if (!load_calls_is_failure(returned[i]) || f->is_repeat[i])
			continue;
		if (!pair->failed++ || b->ints[START][i] < pair->failed_at) {
			pair->failed_at = b->ints[START][i];
			pair->returned = returned[i];
		}
	}
}

/* Choose the calls of a batch that are kept.  Their ends and pairs move to the front of the arrays in `f`; their starts
 * and correlation ids are copied to `start` and `corr`.  Returns their number. */
static size_t load_calls_choose_rows(const load_calls_ctx *r, const rows_batch *b, batch_values *f, int64_t *start,
				     int64_t *corr)
{
	size_t n = 0;

	for (size_t k = 0; k < (r->all ? b->n : f->n); k++) {
		size_t i = r->all ? k : f->launching[k];
		start[n] = b->ints[START][i];
		corr[n] = r->launches ? b->ints[CORR][i] : 0;
		f->end[n] = f->end[i];
		f->pair[n] = f->pair[i];
		n += !f->is_repeat[i];
	}
	return n;
}

static void load_calls_keep_batch(load_calls_ctx *r, calls_part *p, const rows_batch *b, batch_values *f)
{
	trace_calls *c = &r->t->calls;
	bool keeps_whole = r->all && !b->ints[CLASS];   /* is each row of the batch a call that is kept? */
	int64_t chosen[ROWS_BATCH], ids[ROWS_BATCH];
	const int64_t *start = keeps_whole ? b->ints[START] : chosen;
	size_t at = p->rows.first + p->rows.n;
	size_t n = keeps_whole ? b->n : load_calls_choose_rows(r, b, f, chosen, ids);

	memcpy(c->start + at, start, n * sizeof *start);
	memcpy(c->kind + at, f->pair, n * sizeof *f->pair);
	if (r->launches)
		memcpy(r->raw->corr + at, keeps_whole ? b->ints[CORR] : ids, n * sizeof *ids);
	memcpy(c->end + at, f->end, n * sizeof *f->end);
	p->rows.n += n;
}

static void load_calls_take_rows(void *ctx, void *to, const rows_batch *b)
{
	load_calls_ctx *r = ctx;
	calls_part *p = to;
	batch_values f;

	f.n = 0;
	load_calls_find_pairs(r, p, b, &f);
	load_calls_count_calls(p, b, &f);
	if (!r->all && r->launches)
		load_calls_find_launching_rows(p, b, &f);
	memset(f.is_repeat, 0, sizeof f.is_repeat);
	if (b->ints[CLASS])
		load_calls_take_chains(p, b, &f);
	if (b->ints[RETURNED])
		load_calls_count_failures(p, b, &f);
	if (r->all || r->launches)
		load_calls_keep_batch(r, p, b, &f);
}

bool load_calls(trace *t, unsigned need, const launches *l, calls_raw *raw)
{
	const db_table *table = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");
	load_calls_ctx r = { .t = t, .launches = l, .raw = raw, .all = need & TRACE_CALLS };
	const rows_reader reader = { .part_size = sizeof(calls_part),
				     .free_part = load_calls_free_part,
				     .take = load_calls_take_rows,
				     .room = load_calls_make_room,
				     .kept = r.all || l ? "API calls" : NULL };
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = "end" },
		[TID] = { .names = "globalTid", .null = -1 },
		[CORR] = { .names = l ? "correlationId" : NULL },
		[NAME] = { .names = "nameId|name", .null = -1 },
		[RETURNED] = { .names = "returnValue" },
	};
	bool has_chains = db_find(t->db, "CUDA_CALLCHAINS"), need_chains = need & TRACE_CALL_CHAINS;

	c[CLASS].names = has_chains ? "eventClass" : NULL;
	c[CHAIN] = (rows_col){ .names = has_chains && need_chains ? "callchainId" : NULL, .null = -1 };
	if (!rows_read(t->db, table, c, COLS, &reader, &r, t->workers, &raw->parts))
		return false;
	for (size_t i = 0; i < raw->parts.n; i++) {
		calls_part *p = calls_part_at(raw, i);
		p->name = mem_new(uint32_t, p->pairs_of.n);
		for (size_t k = 0; k < p->pairs_of.n; k++)
			p->name[k] = dict_key(&raw->names, p->pairs_of.v[k].name);
	}
	raw->name = trace_find_strings(t, &raw->names);
	return raw->name && (!need_chains || load_chains(t, "CUDA_CALLCHAINS", CHAINS_BY_ADDRESS, &t->call_chains));
}

void load_calls_add_ids(const calls_raw *raw, dict *processes, dict *threads)
{
	for (size_t p = 0; p < raw->parts.n; p++)
		for (size_t i = 0; i < calls_part_at(raw, p)->pairs_of.n; i++) {
			dict_key(processes, global_process(calls_part_at(raw, p)->pairs_of.v[i].thread));
			dict_key(threads, calls_part_at(raw, p)->pairs_of.v[i].thread);
		}
}

void load_calls_free(calls_raw *raw)
{
	rows_parts_free(&raw->parts);
	dict_free(&raw->names);
	mem_free(raw->name, raw->corr);
	*raw = (calls_raw){ 0 };
}
