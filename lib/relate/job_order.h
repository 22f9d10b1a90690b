/*
 * job_order - which operations of different processes are one where no trace names a communicator: by their order.
 *
 *     if (!j->comms.n)
 *         job_order(j, say);                     // j->comms are then the groups of ranks that were found
 *
 * NCCL describes its operations only to an nsys that was there when it began, so captures of a range lack that.
 * share/references/collectives.md, "Matching by order", says how they are matched.
 */
#pragma once

#include "relate/job.h"

/* Fills comms and members, numbered alike, and seq of their operations.  Remarks say how many operations were matched
 * so, and what could not be. */
void job_order(job *j, notes *say);
