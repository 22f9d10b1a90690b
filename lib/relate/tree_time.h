/*
 * tree_time - the hierarchy of ranges with the CPU and GPU time that each of its nodes has in a window.
 *
 *     range_tree tree = range_tree_build(a, true);
 *     tree_time time = tree_time_of(&tree, a, w);
 *     for (size_t i = 0; i < tree.n; i++)
 *         printf("%lld\n", (long long)time.incl[i]);
 *     tree_time_free(&time);
 *     range_tree_free(&tree);
 */
#pragma once

#include "relate/label_time.h"
#include "relate/range_tree.h"

typedef struct {                        /* by node */
	label_sums own;                 /* its ranges, and the kernels and graphs whose innermost range it is */
	int64_t *incl;                  /* GPU time of those, and of all that is below it */
	int64_t *cpu;                   /* own.cpu[].total */
	bool *shown;                    /* is there anything of it in the window, or below it? */
} tree_time;

tree_time tree_time_of(const range_tree *tree, const around *a, const window *w);
void tree_time_free(tree_time *time);
