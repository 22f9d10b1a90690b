#include "base/sort.h"
#include "base/text.h"
#include "tui/outline_parts.h"

enum { PATH_ENDS = 16 };        /* if a path has more than 2 * PATH_ENDS names, only the first PATH_ENDS and the last
				 * PATH_ENDS are shown, as in nsq-nvtx --tree */

/* ---- the contents of an item */

static const char *outline_get_string(const trace *t, uint32_t name)
{
	return name == STR_NONE ? "-" : str_at(&t->names, name);
}

const char *outline_name(const outline *o, const outline_item *item)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	const range_node *node = &d->tree.node[item->kind == OUTLINE_RANGES ? item->index : 0];
	uint32_t name = STR_NONE;

	if (item->kind == OUTLINE_EACH)
		return "each";
	if (item->kind == OUTLINE_RANGES && d->time.own.cpu[item->index].count == 1)
		name = (node->startend ? &t->startend : &t->pushpop)->name[d->range[item->index]];
	else if (item->kind == OUTLINE_RANGES)
		name = node->name;
	else if (item->kind == OUTLINE_KERNELS)
		name = d->kernels.v[item->index].name;
	else if (item->kind == OUTLINE_RANGE)
		name = t->pushpop.name[item->index];
	else if (item->kind == OUTLINE_STARTEND)
		name = t->startend.name[item->index];
	else if (item->kind == OUTLINE_RUN)
		name = d->full ? work_full(&t->work, item->index) : work_name(&t->work, item->index);
	return outline_get_string(t, name);
}

static void outline_fill_row_of_ranges(const struct outline_data *d, uint32_t node, outline_row *row)
{
	const stats_summary *cpu = &d->time.own.cpu[node];
	bool startend = d->tree.node[node].startend, has_gpu = d->a->t->has_cuda && !startend;

	row->domain = outline_get_string(d->a->t, d->tree.node[node].domain);
	row->count = cpu->count;
	row->cpu_ns = cpu->total;
	row->cpu_own_ns = startend ? TRACE_UNKNOWN : d->cpu_own[node];
	row->mean_ns = cpu->mean;
	row->p50_ns = cpu->p50;
	row->p90_ns = cpu->p90;
	row->max_ns = cpu->max;
	row->gpu_ns = has_gpu ? d->time.incl[node] : TRACE_UNKNOWN;
	row->gpu_own_ns = has_gpu ? d->time.own.self[node] : TRACE_UNKNOWN;
	row->kernels = has_gpu ? d->time.own.kernels[node] : TRACE_UNKNOWN;
	row->opens = cpu->count > 1 || d->kernels_of.first[node] < d->kernels_of.first[node + 1];
	for (size_t k = d->children.first[node]; !row->opens && k < d->children.first[node + 1]; k++)
		row->opens = d->time.shown[d->children.numbers[k]];
}

static void outline_fill_single_range(const struct outline_data *d, const trace_ranges *r, uint32_t i, outline_row *row)
{
	const trace *t = d->a->t;

	row->domain = outline_get_string(t, t->domains[ranges_domain(r, i)].name);
	row->cpu_ns = ival_within(&d->w->cpu, r->start[i], r->end[i]);
	row->start_ns = r->start[i];
	row->tid = t->threads[ranges_thread(r, i)].tid;
	if (r != &t->pushpop || !t->has_cuda)
		return;
	row->gpu_ns = d->by_range->incl[i];
	row->gpu_own_ns = d->by_range->self[i];
	row->kernels = d->by_range->kernels[i];
}

static outline_row outline_make_row(const outline *o, const outline_item *item)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	int64_t none = TRACE_UNKNOWN;
	outline_row row = { .kind = item->kind, .depth = item->depth, .open = item->open, .domain = "-", .count = none,
		.cpu_ns = none, .cpu_own_ns = none, .gpu_ns = none, .gpu_own_ns = none, .kernels = none,
		.mean_ns = none, .p50_ns = none, .p90_ns = none, .max_ns = none, .start_ns = none, .tid = none,
		.work = NONE, .parent_ns = none };
	uint32_t index = item->index;

	if (item->kind == OUTLINE_RANGES) {
		outline_fill_row_of_ranges(d, index, &row);
	} else if (item->kind == OUTLINE_KERNELS) {
		row.count = d->kernels.v[index].count;
		row.gpu_ns = d->kernels.v[index].total_ns;
		row.work = d->kernels.v[index].first;
		row.opens = row.count > 1;
	} else if (item->kind == OUTLINE_EACH) {
		row.count = d->time.own.cpu[index].count;
		row.opens = true;
	} else if (item->kind == OUTLINE_RANGE) {
		outline_fill_single_range(d, &t->pushpop, index, &row);
		row.opens = row.gpu_ns > row.gpu_own_ns || row.kernels > 0 ||
			(index + 1 < t->pushpop.n && d->a->parent[index + 1] == index);
	} else if (item->kind == OUTLINE_STARTEND) {
		outline_fill_single_range(d, &t->startend, index, &row);
	} else {
		row.gpu_ns = ival_within(&d->w->gpu, t->work.start[index], t->work.end[index]);
		row.start_ns = t->work.start[index];
		row.work = index;
	}
	return row;
}

/* ---- the items below an item */

static void outline_add_item(outline *o, uint32_t parent, enum outline_kind kind, size_t index)
{
	struct outline_data *d = o->data;

	vec_push(&d->items, (outline_item){ .kind = kind, .index = (uint32_t)index, .parent = parent,
		.depth = parent ? d->items.v[parent].depth + 1 : 0,
		.open = kind == OUTLINE_RANGES && d->opened[index] });
}

static void outline_add_below_ranges(outline *o, uint32_t item, uint32_t node)
{
	struct outline_data *d = o->data;

	for (size_t k = d->children.first[node]; k < d->children.first[node + 1]; k++)
		if (d->time.shown[d->children.numbers[k]])
			outline_add_item(o, item, OUTLINE_RANGES, d->children.numbers[k]);
	if (node == d->tree.n)
		return;
	for (size_t k = d->kernels_of.first[node]; k < d->kernels_of.first[node + 1]; k++)
		outline_add_item(o, item, OUTLINE_KERNELS, d->kernels_of.numbers[k]);
	if (d->time.own.cpu[node].count > 1)
		outline_add_item(o, item, OUTLINE_EACH, node);
}

static void outline_add_below_each(outline *o, uint32_t item, uint32_t node)
{
	struct outline_data *d = o->data;
	const trace *t = d->a->t;

	for (size_t i = 0; d->tree.node[node].startend && i < t->startend.n; i++)
		if (d->tree.of_startend[i] == node && outline_in_window(d, &t->startend, i))
			outline_add_item(o, item, OUTLINE_STARTEND, i);
	for (size_t i = 0; !d->tree.node[node].startend && i < t->pushpop.n; i++)
		if (d->tree.of_range[i] == node && outline_in_window(d, &t->pushpop, i))
			outline_add_item(o, item, OUTLINE_RANGE, i);
}

/* Add the outermost ranges of other threads that begin while this range is the innermost one of the main thread. */
static void outline_add_adopted(outline *o, uint32_t item, uint32_t range)
{
	const struct outline_data *d = o->data;
	const trace *t = d->a->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t main_thread = ranges_thread(r, range), end;

	for (uint32_t k = trace_find_threads(t, t->threads[main_thread].proc, &end); k < end; k++)
		for (size_t i = around_after(d->a, k, r->start[range] - 1, SIZE_MAX);
		     k != main_thread && i < d->a->first[k + 1] && r->start[i] <= r->end[range]; i++)
			if (d->a->parent[i] == NONE && around_at(d->a, main_thread, r->start[i]) == range &&
			    outline_in_window(d, r, i))
				outline_add_item(o, item, OUTLINE_RANGE, i);
}

/* Is the range directly around the work?  The innermost range around the launch is.  For a node of a CUDA graph, so is
 * each range that was open when the node was created, but not at the launch. */
static bool outline_is_around_work(const around *a, size_t work, uint32_t range)
{
	around_walk w = around_work(a, work);

	while (w.captured && w.range != range)
		around_next(a, &w);
	return w.range == range;
}

/* Add the ranges and the work directly inside a range.  Ranges are in order of thread and start, so the inner ranges
 * of a range follow it. */
static void outline_add_below_range(outline *o, uint32_t item, uint32_t range)
{
	struct outline_data *d = o->data;
	const trace *t = d->a->t;
	const trace_ranges *r = &t->pushpop;

	if (d->a->main && ranges_thread(r, range) == around_main_thread(t, t->threads[ranges_thread(r, range)].proc))
		outline_add_adopted(o, item, range);
	for (size_t i = range + 1; i < r->n && ranges_thread(r, i) == ranges_thread(r, range) &&
	     r->start[i] <= r->end[range]; i++)
		if (d->a->parent[i] == range && outline_in_window(d, r, i))
			outline_add_item(o, item, OUTLINE_RANGE, i);
	for (size_t i = 0; d->by_range->incl[range] && i < t->work.n; i++) {
		uint32_t k = d->kernels_of_work[i];
		if (k != NONE && (d->tree.of_work || d->kernels.v[k].node == d->tree.of_range[range]) &&
		    outline_is_around_work(d->a, i, range))
			outline_add_item(o, item, OUTLINE_RUN, i);
	}
}

typedef struct {
	const outline *o;
	const outline_item *items;      /* the items to sort */
	int64_t *key, *other;           /* by item: the number to sort by, and the number that breaks ties */
} order_ctx;

static int64_t outline_find_start(const struct outline_data *d, const outline_item *item)
{
	const trace *t = d->a->t;

	switch (item->kind) {
	case OUTLINE_RANGES: return d->start[item->index];
	case OUTLINE_KERNELS: return trace_launch_time(t, d->kernels.v[item->index].first);
	case OUTLINE_RANGE: return t->pushpop.start[item->index];
	case OUTLINE_STARTEND: return t->startend.start[item->index];
	case OUTLINE_RUN: return trace_launch_time(t, item->index);
	case OUTLINE_EACH: break;
	}
	return INT64_MAX;
}

/* The name to sort by: for OUTLINE_RANGES the name with folded digits, as in nsq-nvtx, even if the row shows the
 * name of its only range. */
static const char *outline_get_sort_name(const outline *o, const outline_item *item)
{
	const char *name = item->kind != OUTLINE_RANGES ? outline_name(o, item) :
		str_at(&o->data->a->t->names, o->data->tree.node[item->index].name);

	return name ? name : "";
}

/* A number by which times are sorted, the longest first; unknown times count as 0. */
static int64_t outline_negate_time(int64_t ns)
{
	return ns == TRACE_UNKNOWN ? 0 : -ns;
}

static const char *outline_get_domain(const struct outline_data *d, const outline_item *item)
{
	return item->kind == OUTLINE_RANGES ? outline_get_string(d->a->t, d->tree.node[item->index].domain) : "";
}

static bool outline_is_startend(const struct outline_data *d, const outline_item *item)
{
	return item->kind == OUTLINE_RANGES && d->tree.node[item->index].startend;
}

/* Order items of equal key: by the other time, then by name, then by start.  Names are compared only for OUTLINE_RANGES
 * and OUTLINE_KERNELS, and not if the rows are in order of start. */
static int outline_compare_ties(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const struct outline_data *d = c->o->data;
	const outline_item *x = &c->items[a], *y = &c->items[b];
	int cmp = sort_3way(c->other[a], c->other[b]);

	if (!cmp && x->kind <= OUTLINE_KERNELS && c->o->order != OUTLINE_BY_START) {
		cmp = strcmp(outline_get_sort_name(c->o, x), outline_get_sort_name(c->o, y));
		cmp = cmp ? cmp : strcmp(outline_get_domain(d, x), outline_get_domain(d, y));
		cmp = cmp ? cmp : sort_3way(outline_is_startend(d, x), outline_is_startend(d, y));
	}
	cmp = cmp ? cmp : sort_3way(outline_find_start(d, x), outline_find_start(d, y));
	return cmp ? cmp : sort_3way(a, b);
}

static void outline_sort_kids(outline *o, const outline_item *above)
{
	struct outline_data *d = o->data;
	uint32_t *kids = &d->kids.v[above->first];
	order_ctx c = { o, &d->items.v[above->first], mem_new(int64_t, above->n), mem_new(int64_t, above->n) };

	for (uint32_t i = 0; i < above->n; i++) {
		bool by_start = o->order == OUTLINE_BY_START || c.items[i].kind == OUTLINE_EACH;
		outline_row row = outline_make_row(o, &c.items[i]);
		kids[i] = i;
		c.key[i] = by_start ? outline_find_start(d, &c.items[i]) :
			outline_negate_time(o->order == OUTLINE_BY_GPU ? row.gpu_ns : row.cpu_ns);
		c.other[i] = by_start ? 0 : outline_negate_time(o->order == OUTLINE_BY_GPU ? row.cpu_ns : row.gpu_ns);
	}
	sort_items_by(kids, above->n, c.key, outline_compare_ties, &c);
	for (uint32_t i = 0; i < above->n; i++)
		kids[i] += above->first;
	mem_free(c.key, c.other);
}

void outline_make_children(outline *o, uint32_t item)
{
	struct outline_data *d = o->data;
	outline_item above = d->items.v[item];

	if (above.known)
		return;
	above.first = (uint32_t)d->items.n;
	switch (above.kind) {
	case OUTLINE_RANGES: outline_add_below_ranges(o, item, above.index); break;
	case OUTLINE_EACH: outline_add_below_each(o, item, above.index); break;
	case OUTLINE_RANGE: outline_add_below_range(o, item, above.index); break;
	case OUTLINE_KERNELS:
		for (size_t i = 0; i < d->a->t->work.n; i++)
			if (d->kernels_of_work[i] == above.index)
				outline_add_item(o, item, OUTLINE_RUN, i);
		break;
	case OUTLINE_STARTEND: case OUTLINE_RUN: break;
	}
	above.n = (uint32_t)d->items.n - above.first;
	above.known = true;
	vec_reserve(&d->kids, d->items.n);
	d->kids.n = d->items.n;
	d->items.v[item] = above;
	outline_sort_kids(o, &above);
}

/* ---- the shown rows */

void outline_list_rows(outline *o, uint32_t item)
{
	struct outline_data *d = o->data;
	vec(uint32_t) at = { 0 }, end = { 0 };  /* by depth: the next position in `kids`, and the end of the children */

	o->rows.n = o->at = 0;
	vec_push(&at, d->items.v[0].first);
	vec_push(&end, d->items.v[0].first + d->items.v[0].n);
	while (at.n) {
		uint32_t next;
		if (at.v[at.n - 1] == end.v[at.n - 1]) {
			at.n--;
			end.n--;
			continue;
		}
		next = d->kids.v[at.v[at.n - 1]++];
		if (next == item)
			o->at = o->rows.n;
		vec_push(&o->rows, next);
		if (!d->items.v[next].open)
			continue;
		outline_make_children(o, next);
		vec_push(&at, d->items.v[next].first);
		vec_push(&end, d->items.v[next].first + d->items.v[next].n);
	}
	mem_free(at.v, end.v);
}

static outline_item *outline_get_chosen_item(const outline *o)
{
	return &o->data->items.v[o->rows.v[o->at]];
}

/* The item of OUTLINE_RANGES for a node; 0, the root, if none has been made. */
static uint32_t outline_find_same_ranges(outline *o, uint32_t node)
{
	struct outline_data *d = o->data;

	for (uint32_t i = 1; i < d->items.n; i++)
		if (d->items.v[i].kind == OUTLINE_RANGES && d->items.v[i].index == node)
			return i;
	return 0;
}

void outline_set_window(outline *o, const window *w, bool full)
{
	struct outline_data *d = o->data;
	uint32_t node = NONE;

	for (uint32_t i = o->rows.n ? o->rows.v[o->at] : 0; i && node == NONE; i = d->items.v[i].parent)
		node = d->items.v[i].kind == OUTLINE_RANGES ? d->items.v[i].index : NONE;
	d->w = w;
	d->full = full;
	outline_sum(o);
	d->items.n = d->opened_to_find.n = d->chosen_before = 0;
	vec_push(&d->items, (outline_item){ .kind = OUTLINE_RANGES, .index = (uint32_t)d->tree.n, .parent = NONE,
		.open = true });
	outline_make_children(o, 0);
	outline_list_rows(o, 0);
	outline_find_again(o);
	if (node != NONE)
		outline_list_rows(o, outline_find_same_ranges(o, node));
}

outline *outline_build(const around *a, const window *w, bool full)
{
	outline *o = mem_new(outline, 1);
	struct outline_data *d = o->data = mem_new(struct outline_data, 1);

	d->a = a;
	d->tree = range_tree_build(a, true);
	d->opened = mem_new(bool, d->tree.n);
	outline_set_window(o, w, full);
	return o;
}

void outline_free(outline *o)
{
	struct outline_data *d = o->data;

	outline_find_free(d);
	outline_sum_free(d);
	outline_lists_free(&d->children);
	range_tree_free(&d->tree);
	mem_free(d->folded, d->opened, d->items.v, d->kids.v, d->opened_to_find.v, o->rows.v, d, o);
}

outline_row outline_row_at(const outline *o, size_t row)
{
	const struct outline_data *d = o->data;
	const outline_item *item = &d->items.v[o->rows.v[row]], *up = &d->items.v[item->parent];
	outline_row r = outline_make_row(o, item);

	r.name = outline_name(o, item);
	r.match = d->re && outline_matches(o, item);
	if (up->kind == OUTLINE_EACH)
		up = &d->items.v[up->parent];
	r.parent_ns = up->parent == NONE ? o->total_ns : outline_make_row(o, up).gpu_ns;
	return r;
}

char *outline_path(const outline *o, size_t row)
{
	const struct outline_data *d = o->data;
	vec(uint32_t) up = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *f = text_open(&text, &n);

	for (uint32_t i = o->rows.v[row]; i; i = d->items.v[i].parent)
		if (d->items.v[i].kind != OUTLINE_EACH)
			vec_push(&up, i);
	for (size_t i = up.n; i-- > 0;) {
		if (up.n > 2 * PATH_ENDS && i == up.n - PATH_ENDS - 1) {
			fprintf(f, "(%zu more) > ", up.n - 2 * PATH_ENDS);
			i = PATH_ENDS - 1;
		}
		fprintf(f, "%s%s", outline_name(o, &d->items.v[up.v[i]]), i ? " > " : "");
	}
	text_close(f);
	vec_free(&up);
	return text;
}

void outline_choose_row(outline *o, size_t row)
{
	o->at = row < o->rows.n ? row : o->rows.n ? o->rows.n - 1 : 0;
}

void outline_set_open(outline *o, uint32_t item, bool open)
{
	outline_item *x = &o->data->items.v[item];

	x->open = open;
	if (x->kind == OUTLINE_RANGES)
		o->data->opened[x->index] = open;
}

bool outline_open(outline *o, bool open)
{
	outline_item *item;

	if (!o->rows.n)
		return false;
	item = outline_get_chosen_item(o);
	if (item->open == open || (open && !outline_make_row(o, item).opens))
		return false;
	outline_set_open(o, o->rows.v[o->at], open);
	outline_list_rows(o, o->rows.v[o->at]);
	return true;
}

bool outline_open_all(outline *o, size_t most)
{
	struct outline_data *d = o->data;
	vec(uint32_t) open = { 0 };
	uint32_t from = o->rows.n ? o->rows.v[o->at] : 0;
	size_t n = o->rows.n;
	bool all;

	if (from)
		vec_push(&open, from);
	for (size_t k = 0; k < open.n && n <= most; k++) {      /* level by level: if there are too many rows, the
								 * inner ones stay closed */
		uint32_t item = open.v[k];
		outline_set_open(o, item, true);
		outline_make_children(o, item);
		n += d->items.v[item].n;
		for (uint32_t i = 0; i < d->items.v[item].n; i++) {
			uint32_t below = d->kids.v[d->items.v[item].first + i];
			if (d->items.v[below].kind == OUTLINE_RANGES && outline_make_row(o, &d->items.v[below]).opens)
				vec_push(&open, below);
		}
	}
	all = n <= most;
	vec_free(&open);
	if (from)
		outline_list_rows(o, from);
	return all;
}

bool outline_choose_parent(outline *o)
{
	uint32_t up = o->rows.n ? outline_get_chosen_item(o)->parent : 0;

	if (up)
		outline_list_rows(o, up);
	return up != 0;
}

void outline_sort(outline *o, enum outline_order order)
{
	struct outline_data *d = o->data;

	o->order = order;
	for (size_t i = 0; i < d->items.n; i++)
		if (d->items.v[i].known)
			outline_sort_kids(o, &d->items.v[i]);
	outline_list_rows(o, o->rows.n ? o->rows.v[o->at] : 0);
}
