/*
 * call - loads CUDA API calls into trace.calls, and says what a call is for.
 */
#ifndef CALL_H
#define CALL_H

#include "span.h"
#include "trace.h"

typedef struct {
	dict ids;               /* global ids of threads; calls.thread numbers these until call_number */
	size_t *calls, *launches;   /* by key of ids */
	ival *span;
	span_set spans;       /* instead, when calls are not loaded */
} call_raw;

bool call_scan(trace *t, unsigned need, call_raw *raw);
void call_ids(const call_raw *raw, dict *processes, dict *threads);
void call_number(trace *t, call_raw *raw);   /* threads, once they are numbered */
void call_sort(trace *t);                    /* by start */

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
} call_threads;

call_threads call_outermost(const trace *t);
void call_threads_free(call_threads *c);

/* The first outermost call of the thread that ends after the moment: an index into calls. */
size_t call_after(const trace *t, const call_threads *c, uint32_t thread, int64_t moment);

void call_raw_free(call_raw *raw);

#endif
