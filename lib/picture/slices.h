/*
 * slices - the ranges and calls of a thread as one track: each inside another, beside it, or crossing it.
 *
 *     slices *c = slices_build(t, a, s);         // a: from around_build, s: from shown_build
 *     for (slice at = slices_of(c, 0); slices_next(c, &at);)
 *         printf("%s %lld..%lld%s\n", at.call ? "call" : "range", (long long)at.part.a, (long long)at.part.b,
 *                at.crosses ? ", which crosses the one before" : "");
 *     slices_free(c);
 *
 * They come in order of start, the outer before the inner.  A slice that begins inside another and ends after it is
 * said to cross it.  Whether later slices cross is judged only against those that do not cross themselves.
 */
#ifndef SLICES_H
#define SLICES_H

#include "relate/ranges_around.h"
#include "picture/shown.h"

typedef struct {
	trace *t;
	const around *around;
	const shown *shown;
	uint32_t *calls;        /* by thread, in order */
	size_t *first;          /* by thread: its first in calls, and at the end their number */
	bool *drawn;            /* by call: is it shown, and does not cross? */
} slices;

/* Needs TRACE_CALLS, TRACE_CALL_TIMES and TRACE_RANGES. */
slices *slices_build(trace *t, const around *a, const shown *s);
void slices_free(slices *c);

typedef struct {
	bool call;              /* else a push/pop range */
	size_t at;              /* its index among calls or ranges */
	ival part;              /* what is shown of it */
	bool crosses;

	const shown_side *side;
	size_t range, range_end, next_call, call_end;
	vec(int64_t) open;      /* the ends of those around the next one */
} slice;

slice slices_of(const slices *c, uint32_t thread);
bool slices_next(const slices *c, slice *at);   /* false: there are no more, and at holds nothing */

/* What is shown of a call. */
ival slices_call(const slices *c, size_t call);

#endif
