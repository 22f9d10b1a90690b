/*
 * load_cpu - reads what threads did on the CPU: OS calls, context switches, samples and their call chains, MPI calls.
 *
 *     cpu_raw raw = { 0 };
 *     if (load_cpu(t, TRACE_OS, &raw))
 *         load_cpu_add_ids(&raw, &processes, &threads);
 *     load_cpu_free(&raw);
 *
 * If any of TRACE_OS, TRACE_SWITCHES, TRACE_SAMPLES and TRACE_CPU is needed, the threads, processes and spans of all
 * three tables are read; otherwise none.  MPI calls add no threads or processes, and widen spans only with
 * TRACE_MPI_SPAN, because they only say more about threads that have other events.
 */
#pragma once

#include "sqlite/rows.h"
#include "trace/thread_events.h"

enum { CPU_OS, CPU_SWITCHES, CPU_SAMPLES, CPU_TABLES, CPU_MPI = CPU_TABLES, CPU_ALL = CPU_MPI + 4 };

typedef struct {
	rows_parts parts[CPU_ALL];      /* by table: what each worker read */
	thread_events_rows rows[CPU_MPI + 1];    /* by table: the rows that are kept; all MPI tables share one entry */
	dict own[CPU_TABLES];           /* by table: global ids of its threads; sorted when the table is sorted */
	dict names;                     /* ids of strings: names of OS and MPI calls */
	uint32_t *name;                 /* by key of names: string */
} cpu_raw;

/* Read the tables, and sort those that are needed, except MPI calls.  Each table numbers its threads for itself.  False
 * after a problem. */
bool load_cpu(trace *t, unsigned need, cpu_raw *raw);

/* Add the processes (global_id.h) and threads (global ids) that have events. */
void load_cpu_add_ids(const cpu_raw *raw, dict *processes, dict *threads);

/* Widen the spans of processes, number the threads of trace.os, trace.stretches and trace.samples, and build trace.mpi.
 * Call this once processes and threads are numbered and ranges are built. */
void load_cpu_build(trace *t, unsigned need, cpu_raw *raw);
void load_cpu_free(cpu_raw *raw);
