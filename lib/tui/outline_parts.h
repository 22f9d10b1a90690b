/*
 * outline_parts - declarations for lib/tui/outline*.c alone.
 *
 *     const outline_item *item = &o->data->items.v[o->rows.v[o->at]];
 *     puts(outline_name(o, item));
 */
#pragma once

#include "launch/range_tree.h"
#include "tui/outline.h"

typedef struct {
	enum outline_kind kind;
	uint32_t of;            /* by kind: a node of the tree, an index of `kernels`, a range, or work */
	uint32_t parent;        /* an item; NONE for the root, which is no row, and has all other items below it */
	uint32_t first, n;      /* if `known`: its children are the n items from kids[first] on */
	uint32_t depth;
	bool known, open;       /* known: have its children been made?  open: are they shown? */
} outline_item;

typedef struct {                /* kernels and graphs of one name whose innermost range belongs to a node */
	uint32_t node, name;
	int64_t count, total_ns;
	uint32_t first;         /* the work that was launched first */
} outline_kernels;

typedef struct {                /* a list for each group: that of group g is of[first[g]] up to of[first[g + 1]] */
	uint32_t *of;
	size_t *first;
} outline_lists;

struct outline_data {
	const around *a;
	const window *w;
	bool full;
	range_tree tree;
	outline_lists children; /* by node: its child nodes; at tree.n the outermost nodes */
	bool *opened;           /* by node: is its row open? */

	/* sums of the window */
	tree_time time;         /* by node */
	int64_t *cpu_own;       /* by node; see outline_row */
	int64_t *start;         /* by node: when its first range was opened; without ranges in the window, when its
				 * first work was launched or a node below it started */
	uint32_t *range;        /* by node: its range that was opened first, an index of push/pop or of start/end
				 * ranges; NONE: the window has none */
	vec(outline_kernels) kernels;
	outline_lists kernels_of;       /* by node: indices of `kernels` */
	uint32_t *kernels_of_work;      /* by work: an index of `kernels`; NONE: the work is not in the window */
	range_time *by_range;   /* the numbers of single ranges */

	vec(outline_item) items;
	vec(uint32_t) kids;     /* the children of all items, in order; see outline_item.first */

	/* state of the search */
	const pattern *re;
	char *folded;           /* the text with its digits folded, if the expression is a plain text; or NULL */
	bool *hit;              /* by node: does its name match? */
	uint32_t *singles;      /* by node: the number of its ranges that match although the node does not */
	uint32_t *below;        /* by node: the number of matches below it */
	bool *kernels_hit;      /* by index of `kernels`: does the name match? */
	vec(uint32_t) opened_to_find;   /* the items that outline_next opened */
	uint32_t chosen_before; /* the item that was chosen when outline_keep was called */
};

void outline_sum(outline *o);
void outline_sum_free(struct outline_data *d);
void outline_lists_free(outline_lists *l);

/* Make the items below an item. */
void outline_make_children(outline *o, uint32_t item);

/* Set the rows from the items that are open, and choose the row of this item, or the first if the item has none. */
void outline_show(outline *o, uint32_t item);

const char *outline_name(const outline *o, const outline_item *item);

/* Is the push/pop or start/end range in the window? */
static inline bool outline_in_window(const struct outline_data *d, const trace_ranges *r, size_t i)
{
	const window *w = d->w;

	return (w->proc == NONE || d->a->t->threads[ranges_thread(r, i)].proc == w->proc) &&
		window_has(w, &w->cpu, r->start[i], r->end[i]);
}

/* Open or close an item without changing the rows. */
void outline_set_open(outline *o, uint32_t item, bool open);

/* Does the item match the search?  A single range matches only if the row of its name does not. */
bool outline_matches(const outline *o, const outline_item *item);

/* Forget the matches, and search again. */
void outline_find_again(outline *o);
void outline_find_free(struct outline_data *d);
