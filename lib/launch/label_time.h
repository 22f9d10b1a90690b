/*
 * label_time - CPU and GPU time in a window, by range and by any labels given to ranges.
 *
 *     label_time by = { .a = a, .label = label, .se_label = se_label, .nlabels = nlabels, .none = NONE };
 *     label_sums sums = { 0 };
 *     label_time_ranges(&by, w, &sums);
 *     label_time_work(&by, w, &sums);
 *     for (size_t i = 0; i < nlabels; i++)
 *         printf("%lld %lld\n", (long long)sums.cpu[i].count, (long long)sums.self[i]);
 *     label_sums_free(&sums);
 *     range_time *time = range_time_open(a);
 *     range_time_window(time, w);                // replaces the numbers of the last window
 *     printf("%lld %lld\n", (long long)time->self[0], (long long)time->none_ns);
 *     range_time_close(time);
 *
 * Ranges are selected by the CPU side of the window, kernels and whole graphs by its GPU side.  Summing GPU time by
 * range takes a walk through the ranges around each piece of work in the window.  If the window has much work and
 * ranges nest, it takes one pass over the work and one over all ranges instead.
 */
#pragma once

#include "base/memory.h"
#include "base/stats.h"
#include "launch/labels.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"

typedef struct {
	const around *a;
	uint32_t *kernels;                      /* by push/pop range: the number of kernels and graphs directly in it,
						 * not in a range inside it */
	int64_t *self;                          /* by push/pop range: the time of the kernels and graphs that `kernels`
						 * counts */
	int64_t *incl;                          /* by push/pop range: time of the kernels and graphs launched
						 * anywhere inside it */
	int64_t none_ns, none_kernels;          /* the time and number of kernels and graphs in no range */
	int64_t total_ns;                       /* the time of all kernels and graphs: the sum of self and none_ns */
	bool nested;                            /* no range outlives the one around it, and ranges are neither adopted
						 * nor captured */
	bool sparse;                            /* only the elements listed in `touched` were written */
	vec(uint32_t) touched;
} range_time;

/* a must outlive the result. */
range_time *range_time_open(const around *a);
void range_time_close(range_time *x);

/* Sum the kernels and whole graphs in a window. */
void range_time_window(range_time *x, const window *w);

/* Call f for each kernel and whole graph in the window, with its time there. */
void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

typedef struct {                        /* what to sum up */
	const around *a;
	labels *rules_of;               /* labels by rule; NULL if of_rule is NULL */
	const uint32_t *label;          /* by push/pop range: its label, below nlabels; NONE if it does not count */
	const uint32_t *se_label;       /* the same for start/end ranges */
	size_t nlabels;
	uint32_t none;                  /* label of work in no range; with of_rule, label of work that no rule matches.
					 * NONE: such work does not count */
	bool outermost;                 /* the CPU times of ranges inside ranges of the same label do not count */
	const uint32_t *of_rule;        /* by string: the label of work for which labels_by_rule gives this string;
					 * NULL: work has the label of its innermost range */
	const uint32_t *of_work;        /* by work: its label, instead of that of a rule or range; NULL: not used */
} label_time;

typedef struct {                        /* sums by label */
	stats_summary *cpu;             /* CPU times of its ranges */
	int64_t *kernels, *self;        /* number and time of its kernels and graphs */
	int64_t *incl;                  /* after label_time_around: the time of kernels and graphs launched inside its
					 * ranges, each counted once */
	int64_t total_ns, unranged_ns;  /* GPU time of the window: all of it, and the part in no range */
} label_sums;

/* Sums the CPU times of the window's ranges. */
void label_time_ranges(const label_time *by, const window *w, label_sums *to);

/* Sums the window's work.  label_time_around uses `time` to also sum what was launched inside the ranges of each
 * label. */
void label_time_work(const label_time *by, const window *w, label_sums *to);
void label_time_around(const label_time *by, const window *w, range_time *time, label_sums *to);

/* Does label_time_around visit the ranges around each piece of work, instead of all ranges?  It does if there is little
 * work in the window, if ranges cross or are adopted or captured, and with of_rule. */
bool label_time_is_sparse(const label_time *by, const window *w, const range_time *time);

void label_sums_free(label_sums *s);
