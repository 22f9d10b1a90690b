/*
 * job_match - who waits for whom: operations of all traces are matched, and each kernel learns who came last.
 *
 *     job_match(j, JOB_CLOCK_BEST, say);
 *     for (size_t i = 0; i < j->kernels.n; i++)
 *         if (j->kernels.v[i].last != NONE)
 *             printf("%lld ns\n", (long long)job_wait(&j->kernels.v[i]));
 */
#ifndef JOB_MATCH_H
#define JOB_MATCH_H

#include "relate/job.h"

enum job_clock {
	JOB_CLOCK_BEST,         /* UTC, corrected by the ends of collectives if they contradict it */
	JOB_CLOCK_UTC,
	JOB_CLOCK_ENDS,         /* the ends of collectives, whatever UTC says */
	JOB_CLOCK_NONE          /* the times as they are */
};

/* Match the operations of all traces, once.  Remarks say how clocks were aligned, and what could not be matched. */
void job_match(job *j, enum job_clock clock, notes *say);

/* Processes of different traces that take part in the same operations on the same GPU: their ranks or pids, as in
 * "0, 1, 3", once for each GPU; and a warning of each. */
void job_find_shared(const job *j, void (*say)(void *ctx, const char *parties), void *ctx);
void job_warn_shared(const job *j, notes *say);

#endif
