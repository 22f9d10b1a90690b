/*
 * job_clocks - the clocks of the traces of a job: by how much each is ahead of that of the first.
 *
 *     if (!job_align_clocks(j, false, say))
 *         job_align_clocks(j, true, say);        // UTC is wrong
 *
 * share/conventions/nccl.md, "Clocks", says how.
 */
#pragma once

#include "relate/job.h"

/* Find the clock that operations are paired by.  by_ends: the ends of collectives decide, and remarks say how far they
 * are from UTC; otherwise UTC does, between two traces for which it can be right.  False: it is not for some. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* What UTC says: the time of the trace plus this is that of the first one.  0 if one of them does not say. */
int64_t job_utc(const job *j, const job_trace *t);
