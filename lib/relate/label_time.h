/*
 * annot - CPU and GPU time of a window by annotation: by whatever labels ranges are given.
 *
 *     annot a = { .n = nest, .label = label, .se_label = se_label, .nlabels = n, .none = none };
 *     annot_sums s = annot_ranges(&a, w);
 *     annot_work(&a, w, &s);
 *     ... s.cpu[l].count, s.self[l] ...          // for each label l
 *     annot_free(&s);
 *
 * Ranges are taken by the CPU side of the window, kernels and whole graphs by
 * its GPU side.
 */
#ifndef ANNOT_H
#define ANNOT_H

#include "relate/range_time.h"
#include "base/stats.h"

typedef struct {
	nest *n;
	const uint32_t *label;          /* by push/pop range; NONE: it is not asked for */
	const uint32_t *se_label;       /* by start/end range */
	size_t nlabels;
	uint32_t none;                  /* label of work in no range; NONE: it is not asked for */
	bool outermost;                 /* count only ranges with none of their label around them */
	const uint32_t *of_rule;        /* by string: work has the label of its rule label (nest_rule_label), */
					/* instead of its innermost range's; NULL: not so */
} annot;

typedef struct {                        /* by label */
	stats_sum *cpu;
	int64_t *kernels, *self;
	int64_t total_ns, unranged_ns;  /* all GPU time, and of it in no range */
} annot_sums;

/* The CPU times of the window's ranges; the rest is 0. */
annot_sums annot_ranges(const annot *a, window *w);

/* Add its work, piece by piece, or from an account of it by range. */
void annot_work(const annot *a, window *w, annot_sums *s);
void annot_accounted(const annot *a, window *w, const account *by_range, annot_sums *s);

void annot_free(annot_sums *s);

#endif
