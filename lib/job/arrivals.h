/*
 * arrivals - when the last rank arrived at each communication kernel of a job.
 *
 *     arrivals *a = arrivals_new(NULL);
 *     arrivals_add(a, t, say);                   // each trace; it can be freed afterwards
 *     owners_params p = { 0 };
 *     arrivals_set(a, t, &p, say);               // uses what was added, or this trace alone
 *     owners *o = owners_build(t, &p);
 *     owners_free(o);
 *     arrivals_free(a);
 */
#pragma once

#include "job/job.h"
#include "step/owners.h"

typedef struct arrivals arrivals;

/* shared: a job of all traces, which has other users too (job_share); NULL: make a new one. */
arrivals *arrivals_new(job *shared);
void arrivals_free(arrivals *a);

/* Add a trace.  Needs what nccl_ops_of needs. */
void arrivals_add(arrivals *a, trace *t, notes *say);

/* Set p->arrivals and p->narrivals for the trace.  The first call matches the operations of the traces that were
 * added (job_match.h); no trace can be added after it.  The arrivals are valid until the next call of arrivals_set or
 * arrivals_unset.  arrivals_unset frees them. */
void arrivals_set(arrivals *a, trace *t, owners_params *p, notes *say);
void arrivals_unset(arrivals *a);

/* The job; it is matched after the first arrivals_set. */
const job *arrivals_job(const arrivals *a);

/* The index of a trace's first process in job.procs; SIZE_MAX: the trace was not added, or does not communicate. */
size_t arrivals_first_proc(const arrivals *a, trace *t);
