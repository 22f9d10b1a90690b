/*
 * call - what an API call is for, and which calls of a thread stand inside others.
 */
#ifndef CALL_H
#define CALL_H

#include "trace/trace.h"

/* What a call is for, by its name: the first class whose words it holds. */
enum call_class {
	CALL_LAUNCH, CALL_SYNC, CALL_MEMORY, CALL_GRAPH, CALL_EVENT, CALL_STREAM, CALL_MODULE, CALL_OTHER
};

enum call_class call_class(const char *name);
const char *call_class_name(enum call_class c);
enum call_class call_class_named(const char *s);   /* CALL_OTHER + 1: there is none so called */

/* A call's name without the suffixes of its version and variant: cudaLaunchKernel_v7000 is
 * cudaLaunchKernel. */
size_t call_base_length(const char *name);

/* Calls by thread: the outermost ones in order of start, which do not overlap.  calls[first[t]] to
 * calls[first[t + 1]] are those of thread t. */
typedef struct {
	uint32_t *calls;
	size_t *first;
	uint8_t *holds_sync;    /* a bit for each: does it hold a synchronizing call? */
} call_threads;

call_threads call_outermost(const trace *t);
void call_threads_free(call_threads *c);

/* The first outermost call of the thread that ends after the moment: an index into calls.  It costs
 * little when `near` is one close to it. */
size_t call_after(const trace *t, const call_threads *c, uint32_t thread, int64_t moment, size_t near);

#endif
