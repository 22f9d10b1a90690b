/*
 * shared_gpu - processes whose work overlaps in time on one GPU.
 *
 *     bool ok = shared_gpu_warn(t, say);         // a remark for each such GPU
 *     printf("%d\n", ok);
 *
 * Without MPS they take turns, and the time of a kernel includes the turns of the
 * others: durations, overlap and idle time then say little about the program.
 */
#ifndef SHARED_GPU_H
#define SHARED_GPU_H

#include "base/notes.h"
#include "trace/trace.h"

/* Call say for each shared GPU: the processes that share it and its number, as text that is valid only during
 * the call.  Needs TRACE_WORK.  False after a problem. */
bool shared_gpu_find(const trace *t, void (*say)(void *ctx, const char *text), void *ctx);

/* A remark for each shared GPU. */
bool shared_gpu_warn(const trace *t, notes *say);

#endif
