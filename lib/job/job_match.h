/*
 * job_match - who waits for whom: operations of all traces are matched, and each kernel learns who came last.
 *
 *     job_match(j, JOB_CLOCK_BEST, say);
 *     for (size_t i = 0; i < j->kernels.n; i++)
 *         if (j->kernels.v[i].last != NONE)
 *             printf("%lld ns\n", (long long)job_wait(&j->kernels.v[i]));
 */
#pragma once

#include "job/job.h"

enum job_clock {
	JOB_CLOCK_BEST,         /* UTC, corrected by the ends of collectives if they contradict it */
	JOB_CLOCK_UTC,
	JOB_CLOCK_ENDS,         /* the ends of collectives, whatever UTC says */
	JOB_CLOCK_NONE          /* times as they are in the traces */
};

/* Match the operations of all traces.  If that was done before, only the remarks are repeated: how clocks were aligned,
 * and what could not be matched.  All users of a job pass the same clock. */
void job_match(job *j, enum job_clock clock, notes *say);

/* Match the operations, with remarks on clocks only. */
void job_set_clocks(job *j, enum job_clock clock, notes *say);
