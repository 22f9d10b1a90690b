/*
 * page_faults - page faults on unified memory: CUDA_UM_CPU_PAGE_FAULT_EVENTS and CUDA_UM_GPU_PAGE_FAULT_EVENTS.
 *
 *     page_faults f = { 0 };
 *     if (page_faults_load(t, &f))
 *         printf("%zu\n", f.n);
 *     vec_free(&f);
 */
#pragma once

#include "base/memory.h"
#include "trace/trace.h"

typedef struct {
	uint32_t proc;          /* index into trace.procs */
	int64_t start, end;     /* the same for a fault of the CPU, which is a moment */
	int64_t gpu;            /* deviceId; -1: a fault of the CPU */
	int64_t faults;         /* number of faults on the same page */
} page_fault;

typedef vec(page_fault) page_faults;

/* Read the two tables.  Rows that start before 0, count no faults or belong to a process without other events are left
 * out.  False after a problem. */
bool page_faults_load(const trace *t, page_faults *out);
