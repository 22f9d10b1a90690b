/*
 * tree - NVTX ranges as a hierarchy of names: one node for each distinct path.
 *
 *     tree tr = tree_build(n, true);             // fold names
 *     for (size_t r = 0; r < t->pushpop.n; r++)
 *         ... tr.node[tr.of_range[r]] ...
 *     tree_order(&tr, t, incl, cpu, order);      // depth first, most time first
 *     tree_free(&tr);
 */
#ifndef TREE_H
#define TREE_H

#include "relate/ranges_around.h"

typedef struct {
	uint32_t parent;        /* node, or NONE */
	uint32_t name, domain;  /* strings; STR_NONE: no name, the default domain */
	int64_t depth;
	bool startend;          /* a start/end range, which does not nest */
} tree_node;

typedef struct {
	tree_node *node;        /* parents before children */
	size_t n;
	uint32_t *of_range;     /* by push/pop range */
	uint32_t *of_startend;  /* by start/end range */
	uint32_t none;          /* the node of work in no range */
} tree;

tree tree_build(const nest *n, bool fold);

/* The nodes depth first, siblings by most incl, then most cpu, then name, into order[n]. */
void tree_order(const tree *tr, const trace *t, const int64_t *incl, const int64_t *cpu, uint32_t *order);

/* Names from the outermost range, joined by ' > ', in the arena. */
const char *tree_path(const tree *tr, const trace *t, uint32_t node);

void tree_free(tree *tr);

#endif
