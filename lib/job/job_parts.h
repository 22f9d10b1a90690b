/*
 * job_parts - the steps of matching the operations of all traces, for lib/job/job_*.c alone.  They find which traces
 * belong to one job, then the communicators (by the order of operations if no trace of a job names one), the clocks,
 * and the pairs.
 */
#pragma once

#include "job/job.h"

/* ---- job_order: which operations belong together in a job without named communicators.  NCCL describes its operations
 * only if nsys ran when NCCL began, which is not so when only a range is captured.  share/references/collectives.md,
 * "Matching by order", says how they are matched. */

/* Fills comms, members and the numbers (seq) of a job's operations.  Remarks say how many operations were matched this
 * way, and what could not be matched. */
void job_order(job *j, uint32_t world, notes *say);

/* ---- job_worlds: which traces belong to one job (share/conventions/nccl.md, "Jobs").  This needs the named
 * communicators. */
void job_find_worlds(job *j);

/* ---- job_clocks: how far the clock of each trace is ahead of the first trace's (share/conventions/nccl.md,
 * "Clocks") */

/* Find the clock by which operations are paired.  With by_ends, the ends of collectives decide, and remarks say how far
 * they are from UTC.  Otherwise UTC decides between two traces, where it can be right.  False: for two traces that
 * share operations it is unknown or wrong, or their hosts differ. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* The difference of two clocks by UTC, which added to times of b gives times of a.  0: one of the traces does not know
 * UTC. */
int64_t job_utc(const job_trace *a, const job_trace *b);

/* ---- job_pair: which operations of different processes belong together: collectives by their numbers, messages by
 * their peers */

/* Fills seq, party and partner, and rank, peer, aligned and shift of members.  Needs the communicators, their
 * processes, and job_trace.pairing.  A remark says what could not be matched. */
void job_pair(job *j, notes *say);
