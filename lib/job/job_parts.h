/*
 * job_parts - the steps of matching the operations of all traces, in this order: which traces are of one job,
 * communicators by the order of operations where no trace of a job names one, clocks, pairs.  For lib/job/job_*.c
 * alone.
 */
#pragma once

#include "job/job.h"

/* ---- job_order: which operations are one where no trace names a communicator.  NCCL describes its operations only to
 * an nsys that was there when it began, so captures of a range lack that.  share/references/collectives.md, "Matching
 * by order", says how they are matched. */

/* Fills comms and members, numbered alike, and seq of the operations of a job.  Remarks say how many operations were
 * matched so, and what could not be. */
void job_order(job *j, uint32_t world, notes *say);

/* ---- job_worlds: which traces are of one job; share/conventions/nccl.md, "Jobs".  Needs the communicators that are
 * named. */
void job_find_worlds(job *j);

/* ---- job_clocks: by how much the clock of each trace is ahead of that of the first; share/conventions/nccl.md,
 * "Clocks", says how */

/* Find the clock that operations are paired by.  by_ends: the ends of collectives decide, and remarks say how far they
 * are from UTC; otherwise UTC does, between two traces for which it can be right.  False: it is not for some. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* What UTC says: the time of b plus this is that of a.  0 if one of them does not say. */
int64_t job_utc(const job_trace *a, const job_trace *b);

/* ---- job_pair: which operations of different processes are one, collectives by their number, messages by peers */

/* Needs the communicators, their processes and job_trace.pairing.  Fills seq, party and partner; a remark says what
 * could not be matched. */
void job_pair(job *j, notes *say);
