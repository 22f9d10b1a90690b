/*
 * job_shift - by how many positions the sequences of operations of two processes are shifted against each other.
 *
 *     job_item mine[] = { { .bytes = 8, .end = 10 }, { .bytes = 4, .start = 20, .end = 30 } };
 *     job_item other[] = { { .bytes = 4, .start = 22, .end = 30 } };
 *     job_fit fit;
 *     if (job_best_shift((job_sequence){ mine, 2 }, (job_sequence){ other, 1 }, 0, &fit))
 *         printf("%lld\n", (long long)fit.shift);    // 1
 *
 * Captures of two processes need not begin with the same operation.
 */
#pragma once

#include "base/interval.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {                /* an operation or a message that is looked for in another process */
	uint32_t at;            /* index in job.ops or job.messages */
	uint32_t name;          /* of an operation: the number of its name, or in job_order of its class; messages: 0 */
	int64_t bytes, start, end;      /* the times in ns, on the clock of the process's trace */
	bool needs_all;         /* does it end only after all its processes have arrived? */
	bool mixed;             /* is it on several communicators?  If so, it may look different in each process */
} job_item;

typedef struct {
	const job_item *v;
	size_t n;
} job_sequence;

typedef struct {
	int64_t shift;          /* item i of b is item i + shift of a */
	size_t pairs;           /* number of shared operations that need all processes and are not mixed */
	size_t impossible;      /* in how many of `pairs` one process ends before the other arrives */
} job_fit;

/* Find the shift of b under which its items fit the items of a.  ahead: nanoseconds to add to times of b to get times
 * of a.  False: no shift fits. */
bool job_best_shift(job_sequence a, job_sequence b, int64_t ahead, job_fit *best);

/* How well one shift fits.  Counting stops once more than a tenth of the shared items do not overlap in time. */
job_fit job_fit_of(job_sequence a, job_sequence b, int64_t ahead, int64_t shift);

enum { JOB_TOLERANCE = 20000 };         /* ns: times on different clocks can be compared only to within this */

/* Do the sequences share items under this shift, and agree in all of them, whatever their times? */
bool job_items_agree(job_sequence a, job_sequence b, int64_t shift);
