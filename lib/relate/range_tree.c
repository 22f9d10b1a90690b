#include "relate/range_tree.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

typedef struct {
	tree *tr;
	trace *t;
	group g;                /* parent, domain, name, startend */
	size_t room;
	bool fold;
} builder;

static uint32_t node_for(builder *b, uint32_t parent, uint32_t domain, uint32_t name, bool startend)
{
	tree *tr = b->tr;
	size_t k;

	if (b->fold)
		name = str_fold(&b->t->names, name);
	k = group_of(&b->g, (int64_t[]){ parent, domain, name, startend });
	if (k == tr->n) {
		if (k == b->room) {
			b->room = b->room ? b->room * 2 : 64;
			tr->node = mem_grow(tr->node, b->room, sizeof *tr->node);
		}
		tr->node[tr->n++] = (tree_node){ parent, name, domain,
			parent == NONE ? 0 : tr->node[parent].depth + 1, startend };
	}
	return (uint32_t)k;
}

tree tree_build(const nest *n, bool fold)
{
	trace *t = n->t;
	const trace_ranges *r = &t->pushpop, *se = &t->startend;
	tree tr = { .of_range = mem_new(uint32_t, r->n), .of_startend = mem_new(uint32_t, se->n) };
	builder b = { .tr = &tr, .t = t, .g = { .width = 4 }, .fold = fold };

	tr.none = node_for(&b, NONE, STR_NONE, STR_NONE, false);
	/* main threads first, for their ranges may adopt those of others */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < r->n; i++) {
			uint32_t main_thread = nest_main_thread(t, t->threads[r->thread[i]].proc);
			uint32_t up = n->parent[i];
			if ((r->thread[i] == main_thread) == pass)
				continue;
			if (up == NONE && pass && n->main && main_thread != NONE)
				up = nest_at(n, main_thread, r->start[i]);
			tr.of_range[i] = node_for(&b, up == NONE ? NONE : tr.of_range[up],
						  t->domains[r->domain[i]].name, r->name[i], false);
		}
	for (size_t i = 0; i < se->n; i++)
		tr.of_startend[i] = node_for(&b, NONE, t->domains[se->domain[i]].name, se->name[i], true);
	group_free(&b.g);
	return tr;
}

typedef struct {
	const tree *tr;
	const trace *t;
	const int64_t *incl, *cpu;
} order_ctx;

/* Siblings in their order; nodes of different parents stay together by parent. */
static int siblings(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const tree_node *x = &c->tr->node[a], *y = &c->tr->node[b];
	int d;

	if (x->parent != y->parent)
		return sort_3way(x->parent, y->parent);
	if (c->incl[a] != c->incl[b])
		return -sort_3way(c->incl[a], c->incl[b]);
	if (c->cpu[a] != c->cpu[b])
		return -sort_3way(c->cpu[a], c->cpu[b]);
	d = str_cmp(&c->t->names, x->name, y->name);
	return d ? d : x->domain != y->domain ? str_cmp(&c->t->names, x->domain, y->domain) :
		sort_3way(x->startend, y->startend);
}

void tree_order(const tree *tr, const trace *t, const int64_t *incl, const int64_t *cpu, uint32_t *order)
{
	order_ctx ctx = { tr, t, incl, cpu };
	uint32_t *sorted = mem_new(uint32_t, tr->n), *stack = mem_new(uint32_t, tr->n);
	size_t *first = mem_new(size_t, tr->n + 1), *last = mem_new(size_t, tr->n + 1), n = 0, depth = 0;

	for (size_t i = 0; i < tr->n; i++)
		sorted[i] = (uint32_t)i;
	sort_items(sorted, tr->n, siblings, &ctx);
	for (size_t i = 0; i < tr->n; i++) {   /* the children of a node, roots at tr->n */
		uint32_t p = tr->node[sorted[i]].parent;
		size_t k = p == NONE ? tr->n : p;
		if (i == 0 || tr->node[sorted[i - 1]].parent != p)
			first[k] = i;
		last[k] = i + 1;
	}
	for (size_t i = last[tr->n]; i-- > first[tr->n];)
		stack[depth++] = sorted[i];
	while (depth) {
		uint32_t node = stack[--depth];
		order[n++] = node;
		for (size_t i = last[node]; i-- > first[node];)
			stack[depth++] = sorted[i];
	}
	free(sorted);
	free(stack);
	free(first);
	free(last);
}

const char *tree_path(const tree *tr, const trace *t, uint32_t node)
{
	vec(const char *) names = { 0 };
	vec(char) path = { 0 };
	const char *text;

	for (uint32_t i = node; i != NONE; i = tr->node[i].parent)
		vec_push(&names, str_at(&t->names, tr->node[i].name));
	for (size_t i = names.n; i-- > 0;) {
		const char *s = names.v[i] ? names.v[i] : "-";
		size_t len = strlen(s);
		vec_reserve(&path, path.n + len + 3);
		memcpy(path.v + path.n, s, len);
		path.n += len;
		if (i) {
			memcpy(path.v + path.n, " > ", 3);
			path.n += 3;
		}
	}
	text = mem_text(path.v, path.n);
	vec_free(&names);
	vec_free(&path);
	return text;
}

void tree_free(tree *tr)
{
	free(tr->node);
	free(tr->of_range);
	free(tr->of_startend);
}
