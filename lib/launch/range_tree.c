#include "launch/range_tree.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

enum { PATH_ENDS = 16 };        /* how many names are written at each end of a long path; those between are only
				 * counted */

typedef vec(char) vec_char;

typedef struct {
	range_tree *tree;
	const around *a;
	group g;                /* numbers the nodes, by parent, domain, name, startend */
	size_t room;            /* number of nodes that tree->node has room for */
	bool fold;
	vec(uint32_t) inside;   /* the ranges around a capture, innermost first */
} builder;

/* The node with these properties, which is added unless it exists. */
static uint32_t range_tree_add_node(builder *b, uint32_t parent, uint32_t domain, uint32_t name, bool startend)
{
	range_tree *tree = b->tree;
	size_t k;

	if (b->fold)
		name = str_fold(&b->a->t->names, name);
	k = group_of(&b->g, (int64_t[]){ parent, domain, name, startend });
	if (k == tree->n) {
		if (k == b->room) {
			b->room = b->room ? b->room * 2 : 64;
			tree->node = mem_grow(tree->node, b->room, sizeof *tree->node);
		}
		tree->node[tree->n++] = (range_node){ parent, name, domain,
			parent == NONE ? 0 : tree->node[parent].depth + 1, (uint32_t)k, startend };
		if (parent != NONE && tree->node[parent].depth + 1 >= PATH_ENDS)
			tree->node[k].high = tree->node[parent].high;
	}
	return (uint32_t)k;
}

/* Adds the nodes of the push/pop ranges, either of main threads or of all other threads. */
static void range_tree_add_pushpop(builder *b, bool on_main)
{
	const trace *t = b->a->t;
	const trace_ranges *r = &t->pushpop;

	for (size_t i = 0; i < r->n; i++) {
		uint32_t main_thread = around_main_thread(t, t->threads[ranges_thread(r, i)].proc);
		uint32_t up = b->a->parent[i];
		if ((ranges_thread(r, i) == main_thread) != on_main)
			continue;
		if (up == NONE && !on_main && b->a->main && main_thread != NONE)
			up = around_at(b->a, main_thread, r->start[i]);
		b->tree->of_range[i] = range_tree_add_node(b, up == NONE ? NONE : b->tree->of_range[up],
							   t->domains[ranges_domain(r, i)].name, r->name[i], false);
	}
}

/* The node of a piece of work.  The ranges around its capture go below those around its launch, and their nodes are
 * added unless they exist. */
static uint32_t range_tree_add_node_of_work(builder *b, size_t work)
{
	const trace *t = b->a->t;
	around_walk w = around_work(b->a, work);
	uint32_t node;

	b->inside.n = 0;
	for (; w.captured; around_next(b->a, &w))
		vec_push(&b->inside, w.range);
	if (w.range == NONE && !b->inside.n)
		return b->tree->none;
	node = w.range == NONE ? NONE : b->tree->of_range[w.range];
	for (size_t i = b->inside.n; i-- > 0;) {
		uint32_t range = b->inside.v[i];
		node = range_tree_add_node(b, node, t->domains[ranges_domain(&t->pushpop, range)].name,
					   t->pushpop.name[range], false);
	}
	return node;
}

static void range_tree_add_captured(builder *b)
{
	const trace_work *w = &b->a->t->work;

	b->tree->of_work = mem_new(uint32_t, w->n);
	for (size_t i = 0; i < w->n; i++)
		if (w->kind[i] <= WORK_GRAPH)
			b->tree->of_work[i] = range_tree_add_node_of_work(b, i);
	vec_free(&b->inside);
}

range_tree range_tree_build(const around *a, bool fold)
{
	const trace *t = a->t;
	const trace_ranges *se = &t->startend;
	range_tree tree = { .of_range = mem_new(uint32_t, t->pushpop.n), .of_startend = mem_new(uint32_t, se->n) };
	builder b = { .tree = &tree, .a = a, .g = { .width = 4 }, .fold = fold };

	tree.none = range_tree_add_node(&b, NONE, STR_NONE, STR_NONE, false);
	range_tree_add_pushpop(&b, true);          /* ranges of main threads first, because their nodes may be parents
						    * of the others */
	range_tree_add_pushpop(&b, false);
	for (size_t i = 0; i < se->n; i++)
		tree.of_startend[i] = range_tree_add_node(&b, NONE, t->domains[ranges_domain(se, i)].name, se->name[i],
							  true);
	if (a->captured)
		range_tree_add_captured(&b);
	group_free(&b.g);
	return tree;
}

void range_tree_free(range_tree *tree)
{
	mem_free(tree->node, tree->of_range, tree->of_startend, tree->of_work);
	*tree = (range_tree){ 0 };
}

typedef struct {
	const range_tree *tree;
	const trace *t;
	const int64_t *incl, *cpu;
} order_ctx;

/* The order of siblings; nodes are grouped by parent first. */
static int range_tree_compare_siblings(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const range_node *x = &c->tree->node[a], *y = &c->tree->node[b];
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

void range_tree_order(const range_tree *tree, const trace *t, const int64_t *incl, const int64_t *cpu, uint32_t *order)
{
	order_ctx ctx = { tree, t, incl, cpu };
	uint32_t *sorted = sort_all(tree->n, range_tree_compare_siblings, &ctx), *stack = mem_new(uint32_t, tree->n);
	size_t *first = mem_new(size_t, tree->n + 1), *last = mem_new(size_t, tree->n + 1), n = 0, depth = 0;

	for (size_t i = 0; i < tree->n; i++) {   /* the children of a node are sorted[first[node]..last[node]);
						  * first[tree->n] and last[tree->n] are those of the outermost nodes */
		uint32_t p = tree->node[sorted[i]].parent;
		size_t k = p == NONE ? tree->n : p;
		if (i == 0 || tree->node[sorted[i - 1]].parent != p)
			first[k] = i;
		last[k] = i + 1;
	}
	for (size_t i = last[tree->n]; i-- > first[tree->n];)
		stack[depth++] = sorted[i];
	while (depth) {
		uint32_t node = stack[--depth];
		order[n++] = node;
		for (size_t i = last[node]; i-- > first[node];)
			stack[depth++] = sorted[i];
	}
	mem_free(sorted, stack, first, last);
}

static void range_tree_add_text(vec_char *path, const char *s)
{
	size_t len = strlen(s);

	vec_reserve(path, path->n + len + 1);   /* room for an empty name, too */
	memcpy(path->v + path->n, s, len);
	path->n += len;
}

const char *range_tree_path(const range_tree *tree, const trace *t, uint32_t node, arena *to)
{
	uint32_t names[2 * PATH_ENDS], at = node;       /* innermost first */
	int64_t n = tree->node[node].depth + 1, left_out = n - 2 * PATH_ENDS;
	vec_char path = { 0 };
	const char *text;

	n = left_out > 0 ? 2 * PATH_ENDS : n;
	for (int64_t i = 0; i < n; i++, at = tree->node[at].parent) {
		at = left_out > 0 && i == PATH_ENDS ? tree->node[node].high : at;
		names[i] = tree->node[at].name;
	}
	for (int64_t i = n; i-- > 0;) {
		const char *s = str_at(&t->names, names[i]);
		range_tree_add_text(&path, s ? s : "-");
		if (left_out > 0 && i == PATH_ENDS)
			range_tree_add_text(&path, arena_printf(to, " > (%lld more)", (long long)left_out));
		range_tree_add_text(&path, i ? " > " : "");
	}
	text = arena_text(to, path.v, path.n);
	vec_free(&path);
	return text;
}

tree_time tree_time_of(const range_tree *tree, const around *a, const window *w)
{
	label_time by_node = { .a = a, .label = tree->of_range, .se_label = tree->of_startend, .nlabels = tree->n,
		.none = tree->none, .of_work = tree->of_work };
	tree_time time = { .incl = mem_new(int64_t, tree->n), .cpu = mem_new(int64_t, tree->n),
		.shown = mem_new(bool, tree->n) };

	label_time_ranges(&by_node, w, &time.own);
	label_time_work(&by_node, w, &time.own);
	for (size_t i = tree->n; i-- > 0;) {    /* each child before its parent */
		uint32_t up = tree->node[i].parent;
		time.incl[i] = ns_add(time.incl[i], time.own.self[i]);
		time.cpu[i] = time.own.cpu[i].total;
		time.shown[i] |= time.own.cpu[i].count || time.own.kernels[i];
		if (up != NONE) {
			time.incl[up] = ns_add(time.incl[up], time.incl[i]);
			time.shown[up] |= time.shown[i];
		}
	}
	return time;
}

void tree_time_free(tree_time *time)
{
	label_sums_free(&time->own);
	mem_free(time->incl, time->cpu, time->shown);
	*time = (tree_time){ 0 };
}
