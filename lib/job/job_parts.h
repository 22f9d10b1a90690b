/*
 * job_parts - the parts of job_match, for lib/job/job_*.c alone.  They find which traces belong to one distributed run,
 * then the communicators (by the order of operations if no trace of a run names one), the clocks, and the pairs.
 */
#pragma once

#include "job/job.h"

/* ---- job_order: which operations belong together in a distributed run without named communicators.  NCCL describes
 * its operations only if nsys was already capturing when NCCL was initialized, not if only a later range is captured.
 * share/references/collectives.md, "Matching by order", says how they are matched. */

/* Fills comms, members and the numbers (seq) of the operations of a distributed run (job_trace.world).  Remarks say how
 * many operations were matched this way, and what could not be matched. */
void job_order(job *j, uint32_t world, notes *say);

/* ---- job_worlds: which traces belong to one distributed run (share/conventions/nccl.md, "Jobs") */

/* Fills worlds of the job, and world and named of its traces.  Needs the communicators that operations name. */
void job_find_worlds(job *j);

/* ---- job_clocks: how far the clock of each trace is behind that of the first trace (share/conventions/nccl.md,
 * "Clocks") */

/* Find the clock by which operations are paired (job_trace.pairing).  With by_ends, the ends of collectives decide, and
 * remarks say by how much UTC is corrected.  Otherwise UTC decides between two traces, if it can be right.  False:
 * there are two traces that share operations, and UTC is unknown or wrong for them, or their hosts differ. */
bool job_align_clocks(job *j, bool by_ends, notes *say);

/* How far the clock of b is behind that of a, by UTC: a time of b plus this is a time of a.  0: one of the traces does
 * not know UTC. */
int64_t job_compare_utc(const job_trace *a, const job_trace *b);

/* ---- job_pair: which operations of different processes belong together: collectives by their numbers, messages by
 * their peers */

/* Fills seq, party and partner, and rank, peer, aligned and shift of members.  Needs the communicators, their
 * processes, and job_trace.pairing.  A remark says what could not be matched. */
void job_pair(job *j, notes *say);
