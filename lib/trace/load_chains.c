#include "trace/load_chains.h"
#include "base/memory.h"
#include "base/sort.h"
#include "sqlite/rows.h"

enum { CHAIN, DEPTH, SYMBOL, MODULE, UNRESOLVED, COLS };

struct chains_part {            /* what one worker reads */
	rows_part rows;
	vec(int64_t) of[COLS];
};

static struct chains_part *part_at(const rows_parts *parts, size_t i)
{
	return rows_part_at(struct chains_part, parts, i);
}

static void free_part(void *which)
{
	struct chains_part *p = which;

	for (int c = 0; c < COLS; c++)
		vec_free(&p->of[c]);
}

static void take(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	struct chains_part *p = to;

	for (int c = 0; c < COLS; c++)
		for (size_t i = 0; i < b->n; i++)
			vec_push(&p->of[c], b->ints[c][i]);
}

/* The strings of functions and modules by their ids.  NULL after a problem. */
static uint32_t *find_names(trace *t, const rows_parts *parts, dict *names)
{
	for (size_t i = 0; i < parts->n; i++)
		for (int c = SYMBOL; c <= MODULE; c++)
			for (size_t k = 0; k < part_at(parts, i)->of[c].n; k++)
				dict_key(names, part_at(parts, i)->of[c].v[k]);
	return trace_strings(t, names);
}

/* The entries of all chains while they are sorted: by chain, depth, function. */
typedef struct {
	const trace *t;
	const trace_chains *c;
	int64_t *chain, *depth;
	uint32_t *function;
	size_t n;
} entries;

static int innermost_first(uint32_t x, uint32_t y, const void *ctx)
{
	const entries *e = ctx;
	const trace_chains *c = e->c;

	if (e->chain[x] != e->chain[y])
		return sort_3way(e->chain[x], e->chain[y]);
	if (e->depth[x] != e->depth[y])
		return sort_3way(e->depth[x], e->depth[y]);
	if (c->name[e->function[x]] != c->name[e->function[y]])
		return str_cmp(&e->t->names, c->name[e->function[x]], c->name[e->function[y]]);
	return str_cmp(&e->t->names, c->module[e->function[x]], c->module[e->function[y]]);
}

/* An entry is the function and the module. */
static void take_entries(const rows_parts *parts, enum chains_by by, const dict *names, const uint32_t *name,
			 trace_chains *c, entries *e)
{
	dict functions = { 0 };         /* pairs of strings */
	vec(bool) nameless = { 0 };

	for (size_t i = 0; i < parts->n; i++) {
		const struct chains_part *p = part_at(parts, i);
		for (size_t k = 0; k < p->of[CHAIN].n; k++, e->n++) {
			uint32_t symbol = name[dict_find(names, p->of[SYMBOL].v[k])], key;
			uint32_t module = name[dict_find(names, p->of[MODULE].v[k])];
			if (p->of[UNRESOLVED].v[k] && by == CHAINS_BY_MODULE)
				symbol = module;
			e->chain[e->n] = p->of[CHAIN].v[k];
			e->depth[e->n] = p->of[DEPTH].v[k];
			e->function[e->n] = key = dict_key(&functions, (int64_t)((uint64_t)symbol << 32 | module));
			if (key == nameless.n)
				vec_push(&nameless, p->of[UNRESOLVED].v[k]);
		}
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

/* Fills chains, and numbers their ids. */
static void build(trace *t, const rows_parts *parts, size_t n, enum chains_by by, const dict *names,
		  const uint32_t *name, trace_chains *c, dict *ids)
{
	entries e = { .t = t, .c = c, .chain = mem_new(int64_t, n), .depth = mem_new(int64_t, n),
		.function = mem_new(uint32_t, n) };
	uint32_t *order;

	take_entries(parts, by, names, name, c, &e);
	order = sort_order(n, innermost_first, &e);
	sort_apply(e.chain, order, n);
	sort_apply(e.function, order, n);
	c->first = mem_new(size_t, n + 1);
	for (size_t i = 0; i < n; i++)
		c->first[dict_key(ids, e.chain[i]) + 1] = i + 1;
	c->n = ids->n;
	c->function = e.function;
	mem_free(order, e.chain, e.depth);
}

bool load_chains_has(const trace *t)
{
	return db_find(t->db, "CUDA_CALLCHAINS");
}

bool load_chains(trace *t, const char *table, enum chains_by by, trace_chains *to, dict *ids)
{
	static const rows_reader reader = { .part_size = sizeof(struct chains_part), .free_part = free_part,
		.take = take };
	rows_col c[COLS] = {
		[CHAIN] = { .names = "id", .null = -1 },
		[DEPTH] = { .names = "stackDepth" },
		[SYMBOL] = { .names = "symbol", .null = -1 },
		[MODULE] = { .names = "module", .null = -1 },
		[UNRESOLVED] = { .names = "unresolved" },
	};
	rows_parts parts = { 0 };
	dict names = { 0 };             /* ids of strings */
	uint32_t *name = NULL;
	size_t n = 0;
	bool ok = rows_read(t->db, db_find(t->db, table), c, COLS, &reader, NULL, t->workers, &parts);

	for (size_t i = 0; i < parts.n; i++)
		n += part_at(&parts, i)->of[CHAIN].n;
	if (ok && n >= UINT32_MAX)
		ok = notes_problem(t->say, EXIT_FAILED, "'%s' holds more than %u entries of call chains, the most that "
				   "nsq can read", t->path, UINT32_MAX - 1);
	name = ok ? find_names(t, &parts, &names) : NULL;
	if (name)
		build(t, &parts, n, by, &names, name, to, ids);
	free(name);
	dict_free(&names);
	rows_parts_free(&parts);
	return name;
}
