/*
 * job_match - who waits for whom: operations of all traces are matched, and the process that arrives last is found
 * for each kernel.
 *
 *     job_match(j, JOB_CLOCK_BEST, say);
 *     for (size_t i = 0; i < j->kernels.n; i++)
 *         if (j->kernels.v[i].last != NONE)
 *             printf("%lld ns\n", (long long)job_wait(&j->kernels.v[i]));
 */
#pragma once

#include "job/job.h"

enum job_clock {
	JOB_CLOCK_BEST,         /* UTC; or the ends of collectives, if they contradict UTC, UTC is unknown, or the hosts
				 * differ */
	JOB_CLOCK_UTC,          /* UTC, even if the ends of collectives contradict it */
	JOB_CLOCK_ENDS,         /* the ends of collectives, whatever UTC says */
	JOB_CLOCK_NONE          /* times as they are in the traces */
};

/* Match the operations of all traces.  If that was done before, only repeat its remarks, which say how clocks were
 * aligned, and what could not be matched.  All users of a job pass the same clock. */
void job_match(job *j, enum job_clock clock, notes *say);

/* Like job_match, but only the remarks on clocks are given. */
void job_set_clocks(job *j, enum job_clock clock, notes *say);
