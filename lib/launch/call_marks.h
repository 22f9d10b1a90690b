/*
 * call_marks - API calls that findings look at more closely: first launches, calls that make or change CUDA graphs,
 * small copies.
 *
 *     const call_marks *m = call_marks_of(t);    // needs TRACE_WORK, TRACE_LAUNCH and TRACE_CALLS
 *     if (t->calls.n && m->of[0] & CALL_FIRST)
 *         puts("the first call launches a kernel that was not launched before");
 *     if (call_marks_is_capturing(m, 0, 1000))
 *         puts("thread 0 captures a stream at 1000 ns");
 */
#pragma once

#include "base/interval.h"
#include "trace/trace.h"

enum { CALL_LONG_NS = 100000 };         /* ns; a launch takes some microseconds, and one that also loads its kernel
					 * takes longer than this */

enum {
	CALL_FIRST = 1,                 /* it takes longer than CALL_LONG_NS, and is the first call of its process that
					 * launches a kernel of some name */
	CALL_GRAPHS = 2,                /* it instantiates, clones, uploads, updates or destroys a graph */
	CALL_SMALL_COPY = 4,            /* it makes a small copy (call_marks_is_small_copy) */
	CALL_WAITS_TINY_COPY = 8        /* it makes a copy of at most 256 bytes, and waits for it */
};

typedef struct {
	uint8_t *of;            /* by call: CALL_...; an outermost call also has the marks of the calls inside it */
	ival_set *capturing;    /* by thread: when it captures a stream; a capture without an end in the trace is left
				 * out */
	size_t nthreads;
} call_marks;

const call_marks *call_marks_of(trace *t);

bool call_marks_is_capturing(const call_marks *m, uint32_t thread, int64_t moment);

/* Is the work a small copy?  That is one of less than 64 KiB from the host, or of 257 to 65535 bytes to the host.  A
 * smaller copy to the host is a scalar that the program waits for. */
bool call_marks_is_small_copy(const trace *t, size_t work);
