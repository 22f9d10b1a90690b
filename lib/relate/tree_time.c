#include "relate/tree_time.h"

tree_time tree_time_of(const range_tree *tree, const around *a, const window *w)
{
	label_time by = { .a = a, .label = tree->of_range, .se_label = tree->of_startend, .nlabels = tree->n,
		.none = tree->none, .of_work = tree->of_work };
	tree_time time = { .own = label_time_ranges(&by, w), .incl = mem_new(int64_t, tree->n),
		.cpu = mem_new(int64_t, tree->n), .shown = mem_new(bool, tree->n) };

	label_time_work(&by, w, &time.own);
	for (size_t i = tree->n; i-- > 0;) {    /* children come after their parents */
		uint32_t up = tree->node[i].parent;
		time.incl[i] = ns_add(time.incl[i], time.own.self[i]);
		time.cpu[i] = time.own.cpu[i].total;
		time.shown[i] |= time.own.cpu[i].count || time.own.kernels[i];
		if (up != NONE) {
			time.incl[up] = ns_add(time.incl[up], time.incl[i]);
			time.shown[up] |= time.shown[i];
		}
	}
	return time;
}

void tree_time_free(tree_time *time)
{
	label_sums_free(&time->own);
	mem_free(time->incl, time->cpu, time->shown);
	*time = (tree_time){ 0 };
}
