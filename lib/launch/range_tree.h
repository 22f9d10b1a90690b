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
 * A range is below the innermost one that was open when it started, even if that one ends first.  With
 * AROUND_CAPTURED, the ranges around the capture of work also stand below those around its launch, so work may have
 * another node than its innermost range (of_work).
 */
#pragma once

#include "launch/label_time.h"

typedef struct {
	uint32_t parent;        /* node, or NONE */
	uint32_t name, domain;  /* strings; STR_NONE for no name, or for the default domain */
	int64_t depth;          /* 0 for the outermost */
	uint32_t high;          /* the node with the 16th name of its path; this node if the path is shorter */
	bool startend;          /* its ranges are start/end ranges, which do not nest */
} range_node;

typedef struct {
	range_node *node;       /* parents before children */
	size_t n;
	uint32_t *of_range;     /* by push/pop range: its node */
	uint32_t *of_startend;  /* by start/end range: its node */
	uint32_t none;          /* the node of work in no range */
	uint32_t *of_work;      /* by work: its node, for kernels and graphs; NULL: the node of work is that of its
				 * innermost range, as always without AROUND_CAPTURED */
} range_tree;

/* May add folded names to the trace. */
range_tree range_tree_build(const around *a, bool fold);
void range_tree_free(range_tree *tree);

/* Fill order with all nodes, depth first.  Siblings are sorted by incl, then by cpu, the largest first, then by name.
 * incl and cpu are by node. */
void range_tree_order(const range_tree *tree, const trace *t, const int64_t *incl, const int64_t *cpu, uint32_t *order);

/* The names from the outermost range to the node's, joined by ' > '.  Of more than 32 names, the first and last 16 are
 * written, with the number of names between them, so that paths take no more room than the ranges. */
const char *range_tree_path(const range_tree *tree, const trace *t, uint32_t node, arena *to);

typedef struct {                        /* times by node */
	label_sums own;                 /* sums of its ranges, and of the kernels and graphs of which it is the node */
	int64_t *incl;                  /* GPU time of its kernels and graphs, and of all nodes below it */
	int64_t *cpu;                   /* CPU time of its ranges: own.cpu[].total */
	bool *shown;                    /* is anything of this node, or of a node below it, in the window? */
} tree_time;

tree_time tree_time_of(const range_tree *tree, const around *a, const window *w);
void tree_time_free(tree_time *time);
