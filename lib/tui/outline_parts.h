/*
 * outline_parts - declarations for lib/tui/outline*.c alone.
 *
 *     const outline_item *item = &o->data->items.v[o->rows.v[o->at]];
 *     puts(outline_name(o, item));
 */
#pragma once

#include "launch/range_tree.h"
#include "tui/outline.h"

/* A row of the tree, which is shown if all items that contain it are open.  `tree`, `kernels`, `items` and `kids` are
 * members of outline_data. */
typedef struct {
	enum outline_kind kind;
	uint32_t index;         /* OUTLINE_RANGES, OUTLINE_EACH: a node of `tree`; OUTLINE_KERNELS: an index of
				 * `kernels`; OUTLINE_RANGE, OUTLINE_STARTEND: a range; OUTLINE_RUN: work */
	uint32_t parent;        /* an index of `items`; NONE for the root, item 0, which is no row and contains all
				 * other items */
	uint32_t first, n;      /* if `known`: its children are the n items from `first` on; the n numbers in `kids`
				 * from `first` on are these items in the order of their rows */
	uint32_t depth;
	bool known;             /* have its children been made? */
	bool open;              /* are its children shown if it is shown itself? */
} outline_item;

typedef struct {                /* the kernels and graphs of one name whose innermost range belongs to a node */
	uint32_t node, name;    /* name: a string */
	int64_t count, total_ns;
	uint32_t first;         /* the work among them that was launched first */
} outline_kernels;

typedef struct {                /* a list of numbers for each group: that of group g begins at numbers[first[g]] and
				 * ends before numbers[first[g + 1]] */
	uint32_t *numbers;
	size_t *first;
} outline_lists;

struct outline_data {
	const around *a;
	const window *w;
	bool full;              /* are demangled names of kernels shown? */
	range_tree tree;        /* its nodes are the OUTLINE_RANGES.  Below, "by node" stands for an array with an
				 * element for each node */
	outline_lists children; /* by node: its child nodes; list tree.n has the outermost nodes */
	bool *opened;           /* by node: is its row open?  Kept from window to window */

	/* sums of the window */
	tree_time time;         /* by node */
	int64_t *cpu_own;       /* by node; see outline_row */
	int64_t *start;         /* by node: when its first range in the window was opened; without such a range, the
				 * first launch of its work or the `start` of a node below it, whichever is earlier */
	uint32_t *range;        /* by node: that first range, an index of push/pop or of start/end ranges; NONE: it
				 * has none in the window */
	vec(outline_kernels) kernels;
	outline_lists kernels_of;       /* by node: indices of `kernels` */
	uint32_t *kernels_of_work;      /* by work: an index of `kernels`; NONE: no kernel or graph in the window */
	range_time *by_range;   /* the GPU times of single push/pop ranges (launch/label_time.h) */

	vec(outline_item) items;
	vec(uint32_t) kids;     /* the children of all items, sorted (outline_item.first) */

	/* state of the search */
	const pattern *re;
	char *folded;           /* the searched text with its digits folded; NULL: it has special characters */
	bool *hit;              /* by node: does its name match? */
	uint32_t *singles;      /* by node: the number of its single ranges that match; 0 if the node itself does */
	uint32_t *below;        /* by node: the number of matches among the rows below its row */
	bool *kernels_hit;      /* by index of `kernels`: does their name match? */
	vec(uint32_t) opened_to_find;   /* the items that outline_choose_match opened since outline_begin_search */
	uint32_t chosen_before; /* the item whose row was chosen when outline_begin_search was called; 0: none */
};

/* Sum up the window: fill the members of outline_data from `time` to `by_range`, and total_ns and kernels of the
 * outline. */
void outline_sum(outline *o);
void outline_sum_free(struct outline_data *d);
void outline_lists_free(outline_lists *l);

/* Make the items directly below an item, unless they have been made. */
void outline_make_children(outline *o, uint32_t item);

/* Make the list of rows from the items that are open, and choose the row of this item, or the first row if the item
 * has none. */
void outline_list_rows(outline *o, uint32_t item);

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

/* Does the item match the search?  Below OUTLINE_EACH, a single range matches only if the OUTLINE_RANGES above does
 * not.  Other single ranges and single runs never match. */
bool outline_matches(const outline *o, const outline_item *item);

/* Forget the matches, and search again. */
void outline_find_again(outline *o);
void outline_find_free(struct outline_data *d);
