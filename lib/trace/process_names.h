/*
 * process_names - names each process after its executable or its main thread.
 *
 *     if (process_names_load(t))
 *         for (size_t i = 0; i < t->nprocs; i++)
 *             printf("%s %s\n", t->procs[i].shown, t->procs[i].name ? t->procs[i].name : "-");
 *
 * nsys starts a program through a launcher, in the same process.  The table of processes may have a row for the
 * launcher, for the program, or for both.
 */
#pragma once

#include "trace/trace.h"

/* Set trace_proc.name, once threads have their NVTX names.  False after a problem. */
bool process_names_load(trace *t);
