/*
 * load_cpu - reads what threads did on the CPU: OS calls, context switches, samples and their call chains, MPI calls.
 *
 *     cpu_raw raw = { 0 };
 *     if (load_cpu(t, TRACE_OS, &raw))
 *         load_cpu_add_ids(&raw, &processes, &threads);
 *     load_cpu_free(&raw);
 *
 * TRACE_CPU, which TRACE_OS, TRACE_SWITCHES and TRACE_SAMPLES imply, reads the threads, processes and spans of all
 * three tables (OS calls, context switches, samples), so that these do not depend on which of the tables is needed.
 * MPI calls add no threads or processes; they widen spans only with TRACE_MPI_SPAN.
 */
#pragma once

#include "sqlite/rows.h"
#include "trace/thread_events.h"

/* Numbers of the tables.  CPU_TABLES: how many there are besides the four tables of MPI, which follow.  CPU_ALL: how
 * many there are in all. */
enum { CPU_OS, CPU_SWITCHES, CPU_SAMPLES, CPU_TABLES, CPU_MPI = CPU_TABLES, CPU_ALL = CPU_MPI + 4 };

typedef struct {
	rows_parts parts[CPU_ALL];      /* by table: what each worker read */
	thread_events_rows rows[CPU_MPI + 1];    /* by table: the rows that are kept; all MPI tables share one entry */
	dict threads[CPU_TABLES];       /* by table: global ids of its threads; load_cpu_find_threads sorts them */
	dict names;                     /* ids of the names of OS and MPI calls in nsys's table of strings */
	uint32_t *name;                 /* by key of names: string */
} cpu_raw;

/* Read the tables.  OS calls, switches and samples that are needed are also sorted into trace.os, trace.stretches and
 * trace.samples, where a thread is an index into cpu_raw.threads of its table.  False after a problem. */
bool load_cpu(trace *t, unsigned need, cpu_raw *raw);

/* Add the processes (as in global_id.h) and threads (global ids) that have events in these tables to the two
 * dictionaries. */
void load_cpu_add_ids(const cpu_raw *raw, dict *processes, dict *threads);

/* Widen the spans of processes, renumber the threads of trace.os, trace.stretches and trace.samples as in
 * trace.threads, and build trace.mpi.  Call this once processes and threads are numbered and ranges are built. */
void load_cpu_build(trace *t, unsigned need, cpu_raw *raw);
void load_cpu_free(cpu_raw *raw);
