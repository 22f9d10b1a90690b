/*
 * depends_parts - the members of struct depends, and the function that fills them.  Only lib/launch/depends*.c may
 * include it.
 */
#pragma once

#include "base/memory.h"
#include "launch/depends.h"

typedef vec(depends_wait) depends_list;

struct depends {
	trace *t;
	const launched *launched;
	uint32_t *before;       /* by work: what depends_previous returns */
	uint32_t *replayed;     /* by work: the node that launched_find_replayed finds, or NONE */
	depends_list waits;     /* all waits of streams for events, sorted by waiter */
	uint64_t *waits_at_all; /* by work, one bit each: does it wait for an event?  Few pieces do. */
	uint32_t *first_wait;   /* by word of waits_at_all: where the waits of its 64 pieces of work begin in `waits`;
				 * the last entry is the number of waits */
	bool known;             /* are the numbers of all streams known? */
	depends_found *of_row;  /* by row of trace.syncs: what its record, or its wait, depends on; freed once `syncs`
				 * is filled */
	vec(struct { uint32_t row; depends_found on; }) syncs;  /* the rows of calls that make their thread wait,
								 * in order, and what each waited for */
	wait_counts *counts;
};

/* Goes through all calls in order, and fills launched, before, replayed, waits, of_row and counts. */
void depends_sweep_calls(depends *d);

/* The one of two pieces of work that ends last; at equal ends, the first in trace.work.  Both may be NONE. */
static inline uint32_t depends_later(const trace *t, uint32_t a, uint32_t b)
{
	int64_t x, y;

	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	x = t->work.end[a];
	y = t->work.end[b];
	return x != y ? (x > y ? a : b) : a < b ? a : b;
}
