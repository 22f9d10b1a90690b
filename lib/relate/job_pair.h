/*
 * job_pair - which operations of different processes are one: collectives by their number, messages by their peers.
 *
 *     job_align_clocks(j, false, say);           // job_clocks.h
 *     job_pair(j, say);
 *     printf("%zu collectives and exchanges\n", j->parties.n);
 */
#pragma once

#include "relate/job.h"

/* Needs the communicators, their processes and job_trace.pairing.  Fills seq, party and partner; a remark says what
 * could not be matched. */
void job_pair(job *j, notes *say);
