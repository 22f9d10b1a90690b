/*
 * job_parts - the steps of matching the operations of all traces.  They find, in this order, which traces belong to
 * one job, the communicators (by the order of operations if no trace of a job names one), the clocks, and the pairs.
 * For lib/job/job_*.c alone.
 */
#pragma once

#include "job/job.h"

/* ---- job_order: which operations belong together in a job without named communicators.  NCCL describes its
 * operations only to an nsys that ran when NCCL began, so captures of a range lack that.
 * share/references/collectives.md, "Matching by order", says how they are matched. */

/* Fills comms and members, with the same numbers, and the seq of a job's operations.  Remarks say how many
 * operations were matched this way, and what could not be. */
void job_order(job *j, uint32_t world, notes *say);

/* ---- job_worlds: which traces belong to one job; share/conventions/nccl.md, "Jobs".  Needs the named
 * communicators. */
void job_find_worlds(job *j);

/* ---- job_clocks: how far the clock of each trace is ahead of the first one's; share/conventions/nccl.md, "Clocks" */

/* Find the clock by which operations are paired.  With by_ends, the ends of collectives decide, and remarks say how
 * far they are from UTC.  Otherwise UTC decides between two traces for which it can be right.  False if for some it
 * is not. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* The difference of two clocks by UTC: added to times of b, it gives times of a.  0 if one of them does not say. */
int64_t job_utc(const job_trace *a, const job_trace *b);

/* ---- job_pair: which operations of different processes belong together, collectives by their number, messages by
 * peers */

/* Needs the communicators, their processes and job_trace.pairing.  Fills seq, party and partner.  A remark says what
 * could not be matched. */
void job_pair(job *j, notes *say);
