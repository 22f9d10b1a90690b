#include "base/group.h"
#include "base/sort.h"
#include "tui/outline_parts.h"

void outline_lists_free(outline_lists *l)
{
	mem_free(l->numbers, l->first);
	*l = (outline_lists){ 0 };
}

/* List the numbers 0 to n - 1 by group: number i belongs to group in_group[i], which is from 0 to `groups`.  The last
 * group is for numbers that belong to none of the others. */
static outline_lists outline_sum_build_lists(const uint32_t *in_group, size_t n, size_t groups)
{
	outline_lists l = { .first = mem_new(size_t, groups + 2) };

	l.numbers = sort_groups(in_group, n, groups + 1, l.first);
	return l;
}

static void outline_sum_note_start(struct outline_data *d, uint32_t node, int64_t start, uint32_t range)
{
	if (start < d->start[node]) {
		d->start[node] = start;
		d->range[node] = range;
	}
}

/* Add a range's CPU time to its node's own time, and subtract it from that of its parent's node.  Ranges with the
 * same parent do not overlap, so no time is subtracted twice.  A range of another domain may end after its parent, so
 * only the time inside the parent is subtracted. */
static void outline_sum_add_range(void *ctx, size_t i)
{
	struct outline_data *d = ctx;
	const trace_ranges *r = &d->a->t->pushpop;
	uint32_t node = d->tree.of_range[i], up = d->a->parent[i];

	if (!outline_in_window(d, r, i))
		return;
	d->cpu_own[node] = ns_add(d->cpu_own[node], ival_within(&d->w->cpu, r->start[i], r->end[i]));
	outline_sum_note_start(d, node, r->start[i], (uint32_t)i);
	if (up != NONE && outline_in_window(d, r, up))
		d->cpu_own[d->tree.of_range[up]] -= ival_within(&d->w->cpu, r->start[i],
			r->end[i] < r->end[up] ? r->end[i] : r->end[up]);
}

static void outline_sum_ranges(struct outline_data *d)
{
	const trace_ranges *se = &d->a->t->startend;
	size_t n = d->tree.n;

	d->cpu_own = mem_new(int64_t, n);
	d->start = mem_new(int64_t, n);
	d->range = mem_new(uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		d->start[i] = INT64_MAX;
		d->range[i] = NONE;
	}
	around_each(d->a, d->w->proc, window_hull(&d->w->cpu), outline_sum_add_range, d);
	for (size_t i = 0; i < se->n; i++)
		if (outline_in_window(d, se, i))
			outline_sum_note_start(d, d->tree.of_startend[i], se->start[i], (uint32_t)i);
}

typedef struct {
	struct outline_data *d;
	group names;            /* pairs (node, name); the number of a pair is its index in `kernels` */
} kernels_ctx;

static uint32_t outline_sum_node_of_work(const struct outline_data *d, size_t work)
{
	uint32_t range;

	if (d->tree.of_work)
		return d->tree.of_work[work];
	range = around_work(d->a, work).range;
	return range == NONE ? d->tree.none : d->tree.of_range[range];
}

static void outline_sum_add_work(void *ctx, size_t work, int64_t ns)
{
	kernels_ctx *c = ctx;
	struct outline_data *d = c->d;
	const trace *t = d->a->t;
	uint32_t node = outline_sum_node_of_work(d, work),
		 name = d->full ? work_full(&t->work, work) : work_name(&t->work, work);
	size_t k = group_of(&c->names, (int64_t[]){ node, name });
	outline_kernels *sum;

	if (k == d->kernels.n)
		vec_push(&d->kernels, (outline_kernels){ .node = node, .name = name, .first = (uint32_t)work });
	sum = &d->kernels.v[k];
	sum->count++;
	sum->total_ns = ns_add(sum->total_ns, ns);
	if (trace_launch_time(t, work) < trace_launch_time(t, sum->first))
		sum->first = (uint32_t)work;
	d->kernels_of_work[work] = (uint32_t)k;
}

static void outline_sum_kernels(struct outline_data *d)
{
	const trace *t = d->a->t;
	kernels_ctx c = { .d = d, .names = { .width = 2 } };
	uint32_t *node;

	d->kernels_of_work = mem_new(uint32_t, t->work.n);
	for (size_t i = 0; i < t->work.n; i++)
		d->kernels_of_work[i] = NONE;
	range_time_each(d->a, d->w, outline_sum_add_work, &c);
	node = mem_new(uint32_t, d->kernels.n);
	for (size_t i = 0; i < d->kernels.n; i++) {
		node[i] = d->kernels.v[i].node;
		if (d->range[node[i]] == NONE)
			outline_sum_note_start(d, node[i], trace_launch_time(t, d->kernels.v[i].first), NONE);
	}
	d->kernels_of = outline_sum_build_lists(node, d->kernels.n, d->tree.n);
	free(node);
	group_free(&c.names);
}

static void outline_sum_list_children(struct outline_data *d)
{
	uint32_t *parent = mem_new(uint32_t, d->tree.n);

	for (size_t i = 0; i < d->tree.n; i++)
		parent[i] = d->tree.node[i].parent == NONE ? (uint32_t)d->tree.n : d->tree.node[i].parent;
	d->children = outline_sum_build_lists(parent, d->tree.n, d->tree.n);
	free(parent);
}

void outline_sum(outline *o)
{
	struct outline_data *d = o->data;

	if (!d->children.numbers)
		outline_sum_list_children(d);
	outline_sum_free(d);
	d->time = tree_time_of(&d->tree, d->a, d->w);
	d->by_range = range_time_open(d->a);
	range_time_sum_window(d->by_range, d->w);
	outline_sum_ranges(d);
	outline_sum_kernels(d);
	for (size_t i = d->tree.n; i-- > 0;) {
		uint32_t up = d->tree.node[i].parent;
		if (up != NONE && d->range[up] == NONE && d->start[i] < d->start[up])
			d->start[up] = d->start[i];
	}
	o->total_ns = d->time.own.total_ns;
	o->kernels = 0;
	for (size_t i = 0; i < d->kernels.n; i++)
		o->kernels += d->kernels.v[i].count;
}

void outline_sum_free(struct outline_data *d)
{
	tree_time_free(&d->time);
	mem_free(d->cpu_own, d->start, d->range, d->kernels_of_work);
	vec_free(&d->kernels);
	outline_lists_free(&d->kernels_of);
	if (d->by_range)
		range_time_close(d->by_range);
	d->by_range = NULL;
}
