/*
 * shared_gpu - processes whose work overlaps in time on one GPU, in a trace or in several.
 *
 *     bool ok = shared_gpu_warn(t, say);         // a warning for each GPU that processes of a trace share
 *     shared_gpus *all = shared_gpus_new();
 *     ok &= shared_gpus_add(all, t);             // each trace; it can be freed afterwards
 *     shared_gpus_warn(all, say);                // a warning for each GPU that processes of different traces share
 *     shared_gpus_free(all);
 *     printf("%d\n", ok);
 *
 * Without MPS the processes take turns, and the time of a kernel includes the turns of the others.  Durations,
 * overlap and idle time then say little about the program.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call report for each GPU that processes of the trace share.  text: a clause that names the GPU and these processes,
 * valid until report returns.  Needs TRACE_WORK.  False after a problem. */
bool shared_gpu_find(const trace *t, void (*report)(void *ctx, const char *text), void *ctx);

/* Add a warning for each GPU that shared_gpu_find finds.  False after a problem. */
bool shared_gpu_warn(const trace *t, notes *say);

/* Finds GPUs that processes of different traces share.  Times are compared in UTC, which is accurate enough, because
 * processes that share a GPU run on one host and read one clock.  A trace that does not say at which UTC it
 * began is left out. */
typedef struct shared_gpus shared_gpus;

shared_gpus *shared_gpus_new(void);
void shared_gpus_free(shared_gpus *s);         /* NULL is allowed */
bool shared_gpus_add(shared_gpus *s, trace *t);        /* false after a problem; needs TRACE_WORK */

/* Call report for each GPU that processes of different traces share.  text: a clause that names these processes, valid
 * until report returns.  trace: the number of the first of their traces, counted from 0 in the order of
 * shared_gpus_add. */
void shared_gpus_find(const shared_gpus *s, void (*report)(void *ctx, const char *text, size_t trace), void *ctx);
void shared_gpus_warn(const shared_gpus *s, notes *say);
