/*
 * memory_usage - how much memory is allocated at most, and by whom: nsq-mem --usage.
 *
 *     memory_usage *u = memory_usage_build(t, all, false);  // NULL after a problem
 *     for (const memory_sums *s = u ? memory_usage_of(u, 0) : NULL; s && s->place; s++)
 *         printf("%lld bytes at %lld\n", (long long)s->peak, (long long)s->peak_ns);
 *     if (u)
 *         memory_usage_free(u);
 */
#pragma once

#include "relate/window.h"
#include "trace/memory_events.h"

#define MEMORY_USAGE_COLUMNS(X) \
	X(PEAK_BYTES, "peak_bytes", 'i', "bytes", "most memory that is allocated at once in the window") \
	X(PEAK_NS, "peak_ns", 'i', "ns", "when that is reached first") \
	X(END_BYTES, "end_bytes", 'i', "bytes", "what is allocated when the window ends") \
	X(ALLOCS, "allocs", 'i', NULL, "allocations in the window") \
	X(FREES, "frees", 'i', NULL, "frees in the window") \
	X(BYTES_ALLOCATED, "bytes_allocated", 'i', "bytes", "sum of these allocations")

typedef struct {                /* of a place in a window */
	const memory_place *place;      /* NULL ends a list */
	int64_t peak, peak_ns, end;
	int64_t allocs, frees, allocated;
	uint32_t nvtx;          /* name of the innermost range around the allocation that made the peak, or STR_NONE */
} memory_sums;

typedef struct memory_usage memory_usage;

/* Sum all windows.  Needs TRACE_CALL_COUNTS and TRACE_RANGES.  With adopt, ranges on the main thread also contain other
 * threads' allocations.  NULL after a problem. */
memory_usage *memory_usage_build(trace *t, const windows *all, bool adopt);
void memory_usage_free(memory_usage *u);

/* The sums of a window, by its number: by process, GPU and kind. */
const memory_sums *memory_usage_of(const memory_usage *u, size_t which);
