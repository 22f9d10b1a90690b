/*
 * call_class - what an API call is for, by its name.
 *
 *     enum call_class c = call_class("cudaLaunchKernel_v7000");
 *     puts(call_class_name(c));                                          // launch
 *     printf("%zu\n", call_base_length("cudaLaunchKernel_v7000"));       // 16: without the version
 */
#pragma once

#include "trace/trace.h"

/* A call belongs to the first class with a word that occurs in its name (call_class.c), otherwise to CALL_OTHER. */
enum call_class {
	CALL_LAUNCH, CALL_SYNC, CALL_MEMORY, CALL_GRAPH, CALL_EVENT, CALL_STREAM, CALL_MODULE, CALL_OTHER,
	CALL_MPI                /* any call of trace.mpi */
};

enum call_class call_class(const char *name);
const char *call_class_name(enum call_class c);

/* Is it a call of CUDA, or of AMD's HIP?  HIP has the same calls, under names that begin with hip. */
bool call_is_cuda_or_hip(const char *name);

/* The length of a call's name without the suffixes of its version and variant: cudaLaunchKernel_v7000
 * is cudaLaunchKernel. */
size_t call_base_length(const char *name);

/* By string of the trace: the call's name without those suffixes, as a string.  It is set only for strings that name
 * calls. */
const uint32_t *call_base_names(trace *t);

/* Does a call of that name replay a CUDA graph? */
bool call_replays(const char *name);
