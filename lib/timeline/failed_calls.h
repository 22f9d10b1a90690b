/*
 * failed_calls - processes in which calls that launch work, copy or set memory, or wait for work returned an error.
 *
 *     failed_calls_find(t, show, NULL);  // show(NULL, p, "21 of 21 launches, first cudaLaunchKernel with error 222")
 *
 * The program of such a process did not do its work, so its times say little.
 */
#pragma once

#include "trace/trace.h"

/* Call report for each process with such calls.  The text is valid until report returns. */
void failed_calls_find(const trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx);
