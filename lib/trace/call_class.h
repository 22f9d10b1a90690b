/*
 * call_class - what an API call is for, by its name.
 *
 *     enum call_class c = call_class("cudaLaunchKernel_v7000");
 *     puts(call_class_name(c));                                          // launch
 *     printf("%zu\n", call_base_length("cudaLaunchKernel_v7000"));       // 16: without the version
 */
#pragma once

#include "trace/trace.h"

/* Each class before CALL_OTHER has a list of words (call_class.c).  A call belongs to the first class that has a word
 * which is part of the call's name, otherwise to CALL_OTHER. */
enum call_class {
	CALL_LAUNCH, CALL_SYNC, CALL_MEMORY, CALL_GRAPH, CALL_EVENT, CALL_STREAM, CALL_MODULE, CALL_OTHER,
	CALL_MPI                /* a call of trace.mpi; call_class never returns this */
};

enum call_class call_class(const char *name);
const char *call_class_name(enum call_class c);

/* Is it a call of CUDA, or of AMD's HIP?  HIP has the same calls, under names that begin with hip. */
bool call_is_cuda_or_hip(const char *name);

/* The length of a call's name without its suffixes, which name a version (_v7000) or a variant (_ptsz, _ptds): 16, the
 * length of cudaLaunchKernel, for cudaLaunchKernel_v7000. */
size_t call_base_length(const char *name);

/* An array with an element for each string of the trace (str_pool numbers them).  If the string names a loaded call,
 * the element is the string of the name without its suffixes; otherwise it means nothing.  The trace keeps it. */
const uint32_t *call_base_names(trace *t);

/* Does a call of this name launch kernels?  Calls of class launch do, but cudaLaunchHostFunc runs a function on the
 * CPU. */
bool call_launches_work(const char *name);

/* Does a call of this name replay a CUDA graph? */
bool call_replays_graph(const char *name);
