/*
 * label_time - CPU and GPU time in a window by label, for any labels that ranges are given.
 *
 *     label_time by = { .a = a, .label = label, .se_label = se_label, .nlabels = nlabels, .none = NONE };
 *     label_sums sums = label_time_ranges(&by, w);
 *     label_time_work(&by, w, &sums);
 *     for (size_t i = 0; i < nlabels; i++)
 *         printf("%lld %lld\n", (long long)sums.cpu[i].count, (long long)sums.self[i]);
 *     label_sums_free(&sums);
 *
 * Ranges are selected by the CPU side of the window, kernels and whole graphs
 * by its GPU side.
 */
#pragma once

#include "base/stats.h"
#include "relate/labels.h"
#include "relate/range_time.h"

typedef struct {                        /* the question */
	const around *a;
	labels *rules_of;               /* labels by rule, for of_rule; NULL without it */
	const uint32_t *label;          /* by push/pop range: its label, below nlabels; NONE: do not count it */
	const uint32_t *se_label;       /* the same by start/end range */
	size_t nlabels;
	uint32_t none;                  /* label of work in no range; NONE: do not count it */
	bool outermost;                 /* do not count ranges inside others with the same label */
	const uint32_t *of_rule;        /* by string: the label of work whose labels_by_rule is this string; */
					/* NULL: work has the label of its innermost range, */
	const uint32_t *of_work;        /* unless this is set: by work, its label */
} label_time;

typedef struct {                        /* by label */
	stats_sum *cpu;                 /* its ranges */
	int64_t *kernels, *self;        /* its kernels and graphs, and their time */
	int64_t total_ns, unranged_ns;  /* GPU time of the window: all of it, and the part in no range */
} label_sums;

/* The CPU times of the window's ranges; GPU times are 0 until work is added. */
label_sums label_time_ranges(const label_time *by, const window *w);

/* Add the window's work, piece by piece or from its sums by range. */
void label_time_work(const label_time *by, const window *w, label_sums *to);
void label_time_from(const label_time *by, const window *w, const range_time *by_range, label_sums *to);

void label_sums_free(label_sums *s);
