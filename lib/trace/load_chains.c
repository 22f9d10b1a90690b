#include "trace/load_chains.h"
#include "base/column.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "sqlite/rows.h"

enum { CHAIN, DEPTH, SYMBOL, MODULE, UNRESOLVED, COLS };

typedef struct {                /* consecutive rows with entries of one chain; the depth grows by 1 from each to the
				 * next */
	int64_t chain;          /* id of the chain */
	int64_t depth;          /* depth of the first entry */
	uint32_t first;         /* index of the first entry */
	uint32_t n;             /* number of entries */
} run;

typedef vec(run) run_list;

struct chains_part {            /* what one worker reads */
	rows_part rows;         /* its entries in trace_chains.function; until load_chains_find_functions, these are
				 * numbers of met */
	group met;              /* numbers the distinct (id of symbol, id of module, is it unresolved?) */
	run_list runs;          /* here run.first is 0 for the first entry of the part */
};

static struct chains_part *load_chains_part_at(const rows_parts *parts, size_t i)
{
	return rows_part_at(struct chains_part, parts, i);
}

static void load_chains_free_part(void *which)
{
	struct chains_part *p = which;

	group_free(&p->met);
	vec_free(&p->runs);
}

static void load_chains_make_room(void *ctx, size_t n)
{
	const column entry = COLUMN(*(uint32_t **)ctx);

	column_grow(&entry, 1, n);
}

static void load_chains_take_rows(void *ctx, void *to, const rows_batch *b)
{
	uint32_t *entry = *(uint32_t **)ctx;
	struct chains_part *p = to;

	p->met.width = 3;
	for (size_t i = 0; i < b->n; i++, p->rows.n++) {
		run *last = p->runs.n ? &p->runs.v[p->runs.n - 1] : NULL;
		int64_t chain = b->ints[CHAIN][i], depth = b->ints[DEPTH][i];
		if (last && last->chain == chain && (uint64_t)depth - (uint64_t)last->depth == last->n)
			last->n++;
		else
			vec_push(&p->runs, (run){ chain, depth, (uint32_t)p->rows.n, 1 });
		entry[p->rows.first + p->rows.n] = (uint32_t)group_of_width(&p->met, 3, (int64_t[]){
			b->ints[SYMBOL][i], b->ints[MODULE][i], b->ints[UNRESOLVED][i] != 0 });
	}
}

/* Collect the ids of symbols and modules in `names`.  Returns their strings, by key of `names`; the caller frees the
 * array.  NULL after a problem. */
static uint32_t *load_chains_find_names(trace *t, const rows_parts *parts, dict *names)
{
	for (size_t i = 0; i < parts->n; i++)
		for (int c = 0; c < 2; c++)
			for (size_t k = 0; k < load_chains_part_at(parts, i)->met.n; k++)
				dict_key(names, load_chains_part_at(parts, i)->met.key[3 * k + (size_t)c]);
	return trace_find_strings(t, names);
}

/* Number the functions and turn the entries into indices of functions.  A function is a pair of a name and a module. */
static void load_chains_find_functions(const rows_parts *parts, enum chains_by by, const dict *names,
				       const uint32_t *name, trace_chains *c)
{
	dict functions = { 0 };         /* pairs of strings: name, module */
	vec(bool) nameless = { 0 };

	for (size_t i = 0; i < parts->n; i++) {
		const struct chains_part *p = load_chains_part_at(parts, i);
		uint32_t *function = mem_new(uint32_t, p->met.n);
		uint32_t *entry = c->function + p->rows.first, *end = entry + p->rows.n;
		for (size_t k = 0; k < p->met.n; k++) {
			const int64_t *key = &p->met.key[3 * k];
			uint32_t symbol = name[dict_find(names, key[0])], module = name[dict_find(names, key[1])];
			if (key[2] && by == CHAINS_BY_MODULE)
				symbol = module;
			function[k] = dict_key(&functions, (int64_t)((uint64_t)symbol << 32 | module));
			if (function[k] == nameless.n)
				vec_push(&nameless, key[2]);
		}
		for (; entry < end; entry++)
			*entry = function[*entry];
		free(function);
	}
	c->nfunctions = functions.n;
	c->name = mem_new(uint32_t, functions.n);
	c->module = mem_new(uint32_t, functions.n);
	c->nameless = nameless.v;
	for (size_t i = 0; i < functions.n; i++) {
		c->name[i] = (uint32_t)((uint64_t)functions.value[i] >> 32);
		c->module[i] = (uint32_t)functions.value[i];
	}
	dict_free(&functions);
}

typedef struct {
	const trace *t;
	const rows_parts *parts;
	trace_chains *c;
	run_list runs;
} load_chains_ctx;

static void load_chains_join_runs(load_chains_ctx *x)
{
	for (size_t i = 0; i < x->parts->n; i++) {
		struct chains_part *p = load_chains_part_at(x->parts, i);
		vec_reserve(&x->runs, x->runs.n + p->runs.n);
		for (size_t k = 0; k < p->runs.n; k++) {
			run r = p->runs.v[k];
			r.first += (uint32_t)p->rows.first;
			vec_push(&x->runs, r);
		}
		vec_free(&p->runs);
	}
}

/* Compare runs by chain, depth, function. */
static int load_chains_compare_innermost_first(uint32_t a, uint32_t b, const void *ctx)
{
	const load_chains_ctx *x = ctx;
	const trace_chains *c = x->c;
	const run *p = &x->runs.v[a], *q = &x->runs.v[b];
	uint32_t f = c->function[p->first], g = c->function[q->first];

	if (p->chain != q->chain)
		return sort_3way(p->chain, q->chain);
	if (p->depth != q->depth)
		return sort_3way(p->depth, q->depth);
	if (c->name[f] != c->name[g])
		return str_cmp(&x->t->names, c->name[f], c->name[g]);
	return str_cmp(&x->t->names, c->module[f], c->module[g]);
}

static void load_chains_sort_runs(load_chains_ctx *x)
{
	uint32_t *order = sort_order(x->runs.n, load_chains_compare_innermost_first, x);

	sort_apply(x->runs.v, order, x->runs.n);
	free(order);
}

/* Does a run begin before the previous run of the same chain ends? */
static bool load_chains_has_overlap(const run_list *runs)
{
	for (size_t i = 1; i < runs->n; i++) {
		const run *a = &runs->v[i - 1], *b = &runs->v[i];
		if (a->chain == b->chain && (uint64_t)b->depth - (uint64_t)a->depth < a->n)
			return true;
	}
	return false;
}

/* Make each entry a run of its own. */
static void load_chains_split_runs(load_chains_ctx *x)
{
	run_list all = { 0 };

	for (size_t i = 0; i < x->runs.n; i++)
		for (uint32_t k = 0; k < x->runs.v[i].n; k++) {
			run r = x->runs.v[i];
			vec_push(&all, (run){ r.chain, r.depth + k, r.first + k, 1 });
		}
	vec_free(&x->runs);
	x->runs.v = all.v;
	x->runs.n = all.n;
}

/* Put the entries in the order of x->runs, in which they mostly are already. */
static void load_chains_order_entries(load_chains_ctx *x, size_t n)
{
	uint32_t *to, at = 0;
	size_t i = 0;

	while (i < x->runs.n && x->runs.v[i].first == at)
		at += x->runs.v[i++].n;
	if (i == x->runs.n)
		return;
	to = mem_grow(NULL, n, sizeof *to);
	for (i = 0, at = 0; i < x->runs.n; at += x->runs.v[i++].n)
		memcpy(to + at, x->c->function + x->runs.v[i].first, x->runs.v[i].n * sizeof *to);
	free(x->c->function);
	x->c->function = to;
}

static void load_chains_build(trace *t, const rows_parts *parts, trace_chains *c)
{
	load_chains_ctx x = { .t = t, .parts = parts, .c = c };
	const column entry = COLUMN(c->function);
	size_t n, at = 0;

	n = rows_close_gaps(parts, &entry, 1);
	column_shrink(&entry, 1, n);
	load_chains_join_runs(&x);
	load_chains_sort_runs(&x);
	if (load_chains_has_overlap(&x.runs)) {
		load_chains_split_runs(&x);
		load_chains_sort_runs(&x);
	}
	load_chains_order_entries(&x, n);
	c->first = mem_new(size_t, x.runs.n + 1);
	c->id = mem_new(int64_t, x.runs.n);
	for (size_t i = 0; i < x.runs.n; i++) {
		if (!i || x.runs.v[i].chain != c->id[c->n - 1])
			c->id[c->n++] = x.runs.v[i].chain;
		at += x.runs.v[i].n;
		c->first[c->n] = at;
	}
	vec_free(&x.runs);
}

bool load_chains_has(const trace *t)
{
	return db_find(t->db, "CUDA_CALLCHAINS");
}

uint32_t load_chains_find(const trace_chains *c, int64_t id)
{
	uint64_t from = c->n ? (uint64_t)id - (uint64_t)c->id[0] : 0;
	size_t i;

	if (from < c->n && c->id[from] == id)   /* most ids are consecutive numbers */
		return (uint32_t)from;
	search_first(i, 0, c->n, c->id[i] >= id);
	return i < c->n && c->id[i] == id ? (uint32_t)i : NONE;
}

bool load_chains(trace *t, const char *table, enum chains_by by, trace_chains *to)
{
	static const rows_reader reader = { .part_size = sizeof(struct chains_part), .free_part = load_chains_free_part,
		.take = load_chains_take_rows, .room = load_chains_make_room, .kept = "entries of call chains" };
	rows_col c[COLS] = {
		[CHAIN] = { .names = "id", .null = -1 },
		[DEPTH] = { .names = "stackDepth" },
		[SYMBOL] = { .names = "symbol", .null = -1 },
		[MODULE] = { .names = "module", .null = -1 },
		[UNRESOLVED] = { .names = "unresolved" },
	};
	rows_parts parts = { 0 };
	dict names = { 0 };             /* ids of symbols and modules in nsys's table of strings */
	uint32_t *name = NULL;

	if (rows_read(t->db, db_find(t->db, table), c, COLS, &reader, &to->function, t->workers, &parts))
		name = load_chains_find_names(t, &parts, &names);
	if (name) {
		load_chains_find_functions(&parts, by, &names, name, to);
		load_chains_build(t, &parts, to);
	}
	free(name);
	dict_free(&names);
	rows_parts_free(&parts);
	return name;
}
