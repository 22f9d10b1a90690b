/*
 * label_time - CPU and GPU time in a window by range, and by any labels that ranges are given.
 *
 *     label_time by = { .a = a, .label = label, .se_label = se_label, .nlabels = nlabels, .none = NONE };
 *     label_sums sums = { 0 };
 *     label_time_ranges(&by, w, &sums);
 *     label_time_work(&by, w, &sums);
 *     for (size_t i = 0; i < nlabels; i++)
 *         printf("%lld %lld\n", (long long)sums.cpu[i].count, (long long)sums.self[i]);
 *     label_sums_free(&sums);
 *     range_time *time = range_time_open(a);
 *     range_time_window(time, w);                // for each window; replaces the numbers of the last one
 *     printf("%lld %lld\n", (long long)time->self[0], (long long)time->none_ns);
 *     range_time_close(time);
 *
 * Ranges are selected by the CPU side of the window, kernels and whole graphs by its GPU side.  GPU time by range takes
 * time proportional to the work in the window, or one pass over all ranges if that is less.
 */
#pragma once

#include "base/memory.h"
#include "base/stats.h"
#include "launch/labels.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"

typedef struct {
	const around *a;
	uint32_t *kernels;                      /* by push/pop range: kernels and graphs whose innermost range it is, */
	int64_t *self;                          /* and their time */
	int64_t *incl;                          /* by push/pop range: time of those launched anywhere inside it */
	int64_t none_ns, none_kernels;          /* kernels and graphs in no range */
	int64_t total_ns;                       /* of all kernels and graphs: self and none_ns add up to this */
	bool nested;                            /* no range outlives the one around it; none is adopted or captured */
	bool sparse;                            /* only the elements in touched were written */
	vec(uint32_t) touched;
} range_time;

/* a must outlive it. */
range_time *range_time_open(const around *a);
void range_time_close(range_time *x);

/* Sum the kernels and whole graphs in a window. */
void range_time_window(range_time *x, const window *w);

/* Call f for each kernel and whole graph in the window, with its time there. */
void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

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
	int64_t *incl;                  /* of label_time_around: time of what was launched inside its ranges, once */
	int64_t total_ns, unranged_ns;  /* GPU time of the window: all of it, and the part in no range */
} label_sums;

/* The CPU times of the window's ranges. */
void label_time_ranges(const label_time *by, const window *w, label_sums *to);

/* The window's work; and with what was launched inside the ranges of each label, for which `time` is used. */
void label_time_work(const label_time *by, const window *w, label_sums *to);
void label_time_around(const label_time *by, const window *w, range_time *time, label_sums *to);

/* Is so little work in the window that label_time_around looks at no ranges but those around it? */
bool label_time_is_sparse(const label_time *by, const window *w, const range_time *time);

void label_sums_free(label_sums *s);
