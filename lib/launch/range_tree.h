/*
 * range_tree - NVTX ranges as a hierarchy of names: one node for each distinct path.
 *
 *     arena texts = { 0 };
 *     range_tree tree = range_tree_build(a, true);       // fold names
 *     for (uint32_t i = 0; i < tree.n; i++)
 *         puts(range_tree_path(&tree, t, i, &texts));
 *     tree_time time = tree_time_of(&tree, a, w);        // CPU and GPU time of each node in a window
 *     for (size_t i = 0; i < tree.n; i++)
 *         printf("%lld\n", (long long)time.incl[i]);
 *     tree_time_free(&time);
 *     range_tree_free(&tree);
 *     arena_free(&texts);
 *
 * A range is below the innermost range of its thread that was open when it started, even if that one ends first.  With
 * AROUND_ADOPT (ranges_around.h), the outermost ranges of other threads are below the innermost range of the main
 * thread at their start.  With AROUND_CAPTURED, the path of work that a CUDA graph replays has the ranges around its
 * launch and, below them, those around its capture.  The node of such work (of_work) is the last one of this path, and
 * not the node of its innermost range.
 */
#pragma once

#include "launch/label_time.h"

typedef struct {
	uint32_t parent;        /* a node; NONE for an outermost one */
	uint32_t name;          /* string; STR_NONE: the ranges have no name */
	uint32_t domain;        /* string; STR_NONE: the default domain */
	int64_t depth;          /* number of nodes above it */
	uint32_t high;          /* the node with the 16th name of its path; this node if the path is shorter */
	bool startend;          /* its ranges are start/end ranges, which do not nest */
} range_node;

typedef struct {
	range_node *node;       /* parents before children */
	size_t n;
	uint32_t *of_range;     /* by push/pop range: its node */
	uint32_t *of_startend;  /* by start/end range: its node */
	uint32_t none;          /* the node of work in no range */
	uint32_t *of_work;      /* by work: its node, set for kernels and graphs; NULL: the node of work is that of its
				 * innermost range, as always without AROUND_CAPTURED */
} range_tree;

/* fold: replace digits in names by #, which may add names to the trace. */
range_tree range_tree_build(const around *a, bool fold);
void range_tree_free(range_tree *tree);

/* Fill order with all nodes, depth first.  Siblings are sorted by incl, then by cpu, the largest first, then by name.
 * incl and cpu have an element for each node.  order has room for all nodes. */
void range_tree_order(const range_tree *tree, const trace *t, const int64_t *incl, const int64_t *cpu, uint32_t *order);

/* The names from the outermost range to the node's, joined by ' > '.  If there are more than 32 names, only the
 * first and last 16 are written, with the number of names between them.  This limits the room that a path takes. */
const char *range_tree_path(const range_tree *tree, const trace *t, uint32_t node, arena *to);

typedef struct {                        /* times by node */
	label_sums own;                 /* sums of the ranges of the node, and of the kernels and graphs whose node it
					 * is */
	int64_t *incl;                  /* GPU time of these kernels and graphs, and of those of all nodes below it */
	int64_t *cpu;                   /* CPU time of its ranges: own.cpu[].total */
	bool *shown;                    /* is anything of this node, or of a node below it, in the window? */
} tree_time;

tree_time tree_time_of(const range_tree *tree, const around *a, const window *w);
void tree_time_free(tree_time *time);
