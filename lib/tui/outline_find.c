#include "base/name_match.h"
#include "tui/outline_parts.h"

void outline_find_free(struct outline_data *d)
{
	mem_free(d->hit, d->singles, d->below, d->kernels_hit);
	d->hit = d->kernels_hit = NULL;
	d->singles = d->below = NULL;
}

typedef struct {
	struct outline_data *d;
	name_match names;
	bool *try_singles;      /* by node: outline_find_may_have_singles */
} find_ctx;

/* May the single ranges of a node match?  They may if there are several and the node itself does not match.  For a
 * search of plain text, the node's name must also contain the text with folded digits. */
static bool outline_find_may_have_singles(const struct outline_data *d, uint32_t node)
{
	const char *name = str_at(&d->a->t->names, d->tree.node[node].name);

	return !d->hit[node] && d->time.own.cpu[node].count > 1 && name && (!d->folded || strcasestr(name, d->folded));
}

static void outline_find_count_single(void *ctx, size_t i)
{
	find_ctx *c = ctx;
	struct outline_data *d = c->d;
	const trace_ranges *r = &d->a->t->pushpop;
	uint32_t node = d->tree.of_range[i];

	if (c->try_singles[node] && name_match_of(&c->names, r->name[i]) && outline_in_window(d, r, i))
		d->singles[node]++;
}

static void outline_find_ranges(find_ctx *c)
{
	struct outline_data *d = c->d;
	const trace *t = d->a->t;
	const trace_ranges *se = &t->startend;

	for (size_t i = 0; i < d->tree.n; i++) {
		const range_node *node = &d->tree.node[i];
		uint32_t name = d->time.own.cpu[i].count != 1 ? node->name :
			(node->startend ? se : &t->pushpop)->name[d->range[i]];
		d->hit[i] = d->time.shown[i] && name_match_of(&c->names, name);
		c->try_singles[i] = outline_find_may_have_singles(d, (uint32_t)i);
	}
	around_each(d->a, d->w->proc, window_hull(&d->w->cpu), outline_find_count_single, c);
	for (size_t i = 0; i < se->n; i++) {
		uint32_t node = d->tree.of_startend[i];
		if (c->try_singles[node] && name_match_of(&c->names, se->name[i]) && outline_in_window(d, se, i))
			d->singles[node]++;
	}
}

void outline_find_again(outline *o)
{
	struct outline_data *d = o->data;
	find_ctx c = { .d = d, .names = { .re = d->re, .names = &d->a->t->names } };

	outline_find_free(d);
	o->matches = 0;
	if (!d->re)
		return;
	d->hit = mem_new(bool, d->tree.n);
	d->singles = mem_new(uint32_t, d->tree.n);
	d->below = mem_new(uint32_t, d->tree.n);
	d->kernels_hit = mem_new(bool, d->kernels.n);
	c.try_singles = mem_new(bool, d->tree.n);
	outline_find_ranges(&c);
	for (size_t k = 0; k < d->kernels.n; k++) {
		d->kernels_hit[k] = name_match_of(&c.names, d->kernels.v[k].name);
		d->below[d->kernels.v[k].node] += d->kernels_hit[k];
	}
	for (size_t i = d->tree.n; i-- > 0;) {
		uint32_t up = d->tree.node[i].parent;
		d->below[i] += d->singles[i];
		if (up != NONE)
			d->below[up] += d->below[i] + d->hit[i];
		else
			o->matches += d->below[i] + d->hit[i];
	}
	name_match_free(&c.names);
	free(c.try_singles);
}

void outline_find(outline *o, const pattern *re, const char *text)
{
	struct outline_data *d = o->data;

	free(d->folded);
	d->folded = NULL;
	if (re && !strpbrk(text, ".[](){}*+?|^$\\")) {
		d->folded = mem_new(char, strlen(text) + 1);
		str_fold_text(text, strlen(text), d->folded);
	}
	d->re = re;
	outline_find_again(o);
}

bool outline_matches(const outline *o, const outline_item *item)
{
	const struct outline_data *d = o->data;
	const outline_item *up;

	if (item->parent == NONE)
		return false;
	if (item->kind == OUTLINE_RANGES)
		return d->hit[item->index];
	if (item->kind == OUTLINE_KERNELS)
		return d->kernels_hit[item->index];
	up = &d->items.v[item->parent];
	return up->kind == OUTLINE_EACH && d->singles[up->index] && pattern_matches(d->re, outline_name(o, item));
}

static bool outline_find_has_matches_below(const outline *o, const outline_item *item)
{
	const struct outline_data *d = o->data;

	return item->parent == NONE ? o->matches : item->kind == OUTLINE_RANGES ? d->below[item->index] :
		item->kind == OUTLINE_EACH && d->singles[item->index];
}

/* The first child of an item, from its k-th child on in direction `step`, that matches or has a match below it;
 * NONE: no child does. */
static uint32_t outline_find_in_kids(const outline *o, const outline_item *item, int64_t k, int step)
{
	const struct outline_data *d = o->data;

	for (; k >= 0 && k < item->n; k += step) {
		uint32_t kid = d->kids.v[item->first + k];
		if (outline_matches(o, &d->items.v[kid]) || outline_find_has_matches_below(o, &d->items.v[kid]))
			return kid;
	}
	return NONE;
}

/* The first (step 1) or last (step -1) match among an item and all items below it, if there is one; an item comes
 * before the items below it. */
static uint32_t outline_find_in_item(outline *o, uint32_t item, int step)
{
	struct outline_data *d = o->data;

	while (outline_find_has_matches_below(o, &d->items.v[item]) &&
	       !(step > 0 && outline_matches(o, &d->items.v[item]))) {
		outline_make_children(o, item);
		item = outline_find_in_kids(o, &d->items.v[item], step > 0 ? 0 : (int64_t)d->items.v[item].n - 1, step);
	}
	return item;
}

static int64_t outline_find_position_of_kid(const struct outline_data *d, uint32_t item)
{
	const outline_item *up = &d->items.v[d->items.v[item].parent];
	int64_t k = 0;

	while (d->kids.v[up->first + k] != item)
		k++;
	return k;
}

/* The match after an item or, with step -1, before it.  After the last match comes the first one. */
static uint32_t outline_find_next_match(outline *o, uint32_t item, int step)
{
	struct outline_data *d = o->data;

	if (step > 0 && outline_find_has_matches_below(o, &d->items.v[item])) {
		outline_make_children(o, item);
		return outline_find_in_item(o, outline_find_in_kids(o, &d->items.v[item], 0, 1), 1);
	}
	for (; item; item = d->items.v[item].parent) {
		uint32_t up = d->items.v[item].parent;
		uint32_t kid = outline_find_in_kids(o, &d->items.v[up], outline_find_position_of_kid(d, item) + step,
						    step);
		if (kid != NONE)
			return outline_find_in_item(o, kid, step);
		if (step < 0 && outline_matches(o, &d->items.v[up]))
			return up;
	}
	return outline_find_in_item(o, 0, step);
}

bool outline_choose_match(outline *o, int step)
{
	struct outline_data *d = o->data;
	uint32_t item = o->rows.n ? o->rows.v[o->at] : 0;

	if (!d->re || !o->matches)
		return false;
	if (step || !outline_matches(o, &d->items.v[item]))
		item = outline_find_next_match(o, item, step < 0 ? -1 : 1);
	for (uint32_t up = d->items.v[item].parent; up && up != NONE; up = d->items.v[up].parent)
		if (!d->items.v[up].open) {
			outline_set_open(o, up, true);
			vec_push(&d->opened_to_find, up);
		}
	outline_list_rows(o, item);
	return true;
}

void outline_undo_search(outline *o)
{
	struct outline_data *d = o->data;

	for (size_t i = 0; i < d->opened_to_find.n; i++)
		outline_set_open(o, d->opened_to_find.v[i], false);
	d->opened_to_find.n = 0;
	outline_list_rows(o, d->chosen_before);
}

void outline_begin_search(outline *o)
{
	o->data->opened_to_find.n = 0;
	o->data->chosen_before = o->rows.n ? o->rows.v[o->at] : 0;
}
