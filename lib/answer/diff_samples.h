/*
 * diff_samples - the rows of two tables as samples: one for each key and window.
 *
 *     diff_samples *all = diff_samples_build(both, &plan, say);
 *     for (size_t k = 0; k < diff_samples_keys(all); k++) {
 *         diff_sample of = diff_samples_of(all, k);
 *         printf("%zu and %zu samples\n", of.n[0], of.n[1]);
 *         diff_sample_free(&of);
 *     }
 *     diff_samples_free(all);
 */
#pragma once

#include "answer/diff_plan.h"
#include "base/interval.h"

typedef struct diff_samples diff_samples;

typedef struct {                        /* what is known of a key */
	int64_t rank, process, gpu;     /* TABLE_MISSING where it has none */
	const char *name[DIFF_KEYS];    /* by column of the plan; NULL: missing */
	const char *unit;               /* of its first row; NULL: none */
	double *v[DIFF_SIDES];          /* a sample for each window; of several traces on both sides, for each trace */
	size_t n[DIFF_SIDES];
	bool there[DIFF_SIDES];         /* does a row of that side have the key? */
	ival hull;                      /* of the windows after; IVAL_NOWHERE if they are of several traces or
					 * unknown, */
	const char *trace;              /* and their trace, or NULL */
} diff_sample;

/* The processes are told apart as the plan allows.  The tables must outlive it. */
diff_samples *diff_samples_build(const read_table *const side[DIFF_SIDES], const diff_plan *plan, notes *say);
void diff_samples_free(diff_samples *all);

size_t diff_samples_keys(const diff_samples *all);

/* Are some keys told apart by rank, by the order of their processes, or by GPU? */
typedef struct {
	bool rank, process, gpu;
} diff_told;
diff_told diff_samples_told(const diff_samples *all);

diff_sample diff_samples_of(diff_samples *all, size_t key);
void diff_sample_free(diff_sample *s);
