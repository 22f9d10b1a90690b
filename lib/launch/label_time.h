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
 *     range_time_sum_window(time, w);                // replaces the numbers of the last window
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
	int64_t *self;                          /* by push/pop range: ns in the window of the kernels and graphs that
						 * `kernels` counts */
	int64_t *incl;                          /* by push/pop range: ns in the window of the kernels and graphs
						 * launched anywhere inside it */
	int64_t none_ns, none_kernels;          /* those in no range: their ns in the window, and their number */
	int64_t total_ns;                       /* ns in the window of all kernels and graphs: the sum of self and
						 * none_ns */
	bool nested;                            /* does no range outlive the one around it, and was `a` built with
						 * neither AROUND_ADOPT nor AROUND_CAPTURED? */
	bool sparse;                            /* are all elements of kernels, self and incl 0 except those of the
						 * ranges in `touched`? */
	vec(uint32_t) touched;                  /* ranges, some of them repeatedly; empty unless `sparse` */
} range_time;

/* a must outlive the result. */
range_time *range_time_open(const around *a);
void range_time_close(range_time *x);

/* Set the sums to those of the kernels and whole graphs in a window. */
void range_time_sum_window(range_time *x, const window *w);

/* Call f for each kernel and whole graph in the window, with its time there. */
void range_time_each(const around *a, const window *w, void (*f)(void *ctx, size_t work, int64_t ns), void *ctx);

typedef struct {                        /* what to sum up */
	const around *a;
	labels *rules_of;               /* gives the strings for of_rule; NULL if of_rule is NULL */
	const uint32_t *label;          /* by push/pop range: its label, below nlabels; NONE if it does not count */
	const uint32_t *se_label;       /* by start/end range: its label, below nlabels; NONE if it does not count */
	size_t nlabels;
	uint32_t none;                  /* label of work in no range; with of_rule, label of work that no rule matches.
					 * NONE: such work does not count */
	bool outermost;                 /* leave out the CPU times of push/pop ranges that are inside a range of the
					 * same label */
	const uint32_t *of_rule;        /* by string: the label of the work for which labels_of_work_by_rules returns
					 * this string; NULL: work has the label of its innermost range */
	const uint32_t *of_work;        /* by work: its label, which then counts instead of that of a rule or range;
					 * NULL: not used.  Only for label_time_work. */
} label_time;

typedef struct {                        /* sums in a window, which start as { 0 }; arrays by label */
	stats_summary *cpu;             /* CPU times of its ranges */
	int64_t *kernels;               /* number of its kernels and graphs */
	int64_t *self;                  /* ns of its kernels and graphs in the window */
	int64_t *incl;                  /* ns in the window of the kernels and graphs launched inside its ranges, each
					 * counted once; NULL after label_time_work */
	int64_t total_ns;               /* ns of all kernels and graphs in the window */
	int64_t unranged_ns;            /* ns of those among them that are in no range */
} label_sums;

/* Sums the CPU times of the ranges in the window into to->cpu. */
void label_time_ranges(const label_time *by, const window *w, label_sums *to);

/* Sums the window's kernels and graphs.  label_time_around also fills label_sums.incl.  For that, it may replace the
 * numbers in `time` by those of the window. */
void label_time_work(const label_time *by, const window *w, label_sums *to);
void label_time_around(const label_time *by, const window *w, range_time *time, label_sums *to);

/* Does label_time_around visit the ranges around each piece of work, instead of all ranges?  It does if there is little
 * work in the window, if ranges cross or are adopted or captured, and with of_rule. */
bool label_time_is_sparse(const label_time *by, const window *w, const range_time *time);

void label_sums_free(label_sums *s);
