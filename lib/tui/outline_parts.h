/*
 * outline_parts - what the files of outline share.
 *
 *     const outline_item *item = &o->data->items.v[o->rows.v[o->at]];
 *     puts(outline_name(o, item));
 */
#pragma once

#include "launch/range_tree.h"
#include "tui/outline.h"

typedef struct {
	enum outline_kind kind;
	uint32_t of;            /* a node of the tree, one of kernels, a range, or work */
	uint32_t parent;        /* item; that of the first, which is no row but has all others below it, is NONE */
	uint32_t first, n;      /* the items below it, if they are known */
	uint32_t depth;
	bool known, open;
} outline_item;

typedef struct {                /* kernels and graphs of one name whose innermost ranges are those of a node */
	uint32_t node, name;
	int64_t count, total_ns;
	uint32_t first;         /* the work that was launched first */
} outline_kernels;

typedef struct {                /* lists of things: that of group g is of[first[g]] up to of[first[g + 1]] */
	uint32_t *of;
	size_t *first;
} outline_lists;

struct outline_data {
	const around *a;
	const window *w;
	bool full;
	range_tree tree;
	outline_lists children; /* by node, and at tree.n the outermost: nodes */
	bool *opened;           /* by node */

	/* of the window */
	tree_time time;         /* by node */
	int64_t *cpu_own;       /* by node; see outline_row */
	int64_t *start;         /* by node: when its first range was opened, or its first work launched, */
	uint32_t *range;        /* and which range that is, among start/end ranges if it is of these; or NONE */
	vec(outline_kernels) kernels;
	outline_lists kernels_of;       /* by node: kernels */
	uint32_t *kernels_of_work;      /* by work: kernels, or NONE if it is not in the window */
	range_time *by_range;

	vec(outline_item) items;
	vec(uint32_t) kids;     /* the items below item i, in order, are kids[items[i].first] and so on */

	/* of what is looked for */
	const pattern *re;
	char *folded;           /* the text, if that is all the expression is, its digits folded; or NULL */
	bool *hit;              /* by node: does its name match? */
	uint32_t *singles;      /* by node: how many of its ranges match though it does not, */
	uint32_t *below;        /* and how much below it matches */
	bool *kernels_hit;      /* by kernels */
	vec(uint32_t) opened_to_find;   /* items, */
	uint32_t chosen_before; /* and the one that was chosen before */
};

/* Sum up the window. */
void outline_sum(outline *o);
void outline_sum_free(struct outline_data *d);
void outline_lists_free(outline_lists *l);

/* The items below an item are known from now on. */
void outline_know(outline *o, uint32_t item);

/* Show what is open, and choose this item, or the first if it is none. */
void outline_show(outline *o, uint32_t item);

const char *outline_name(const outline *o, const outline_item *item);

/* Is the push/pop or start/end range in the window? */
static inline bool outline_in_window(const struct outline_data *d, const trace_ranges *r, size_t i)
{
	const window *w = d->w;

	return (w->proc == NONE || d->a->t->threads[ranges_thread(r, i)].proc == w->proc) &&
		window_has(w, &w->cpu, r->start[i], r->end[i]);
}

/* Open or close an item, without showing it. */
void outline_set_open(outline *o, uint32_t item, bool open);

/* Is the item one of those that are looked for?  A single range is only where all of its name are not. */
bool outline_matches(const outline *o, const outline_item *item);

/* Forget what was found, and look again for what is looked for. */
void outline_find_again(outline *o);
void outline_find_free(struct outline_data *d);
