/*
 * depends_parts - what depends holds, and how it is found.  For lib/launch/depends*.c alone.
 */
#pragma once

#include "base/memory.h"
#include "launch/depends.h"

typedef vec(depends_wait) depends_list;

struct depends {
	trace *t;
	const launched *launched;
	uint32_t *before;       /* by work: the previous one of its stream, or NONE, */
	uint32_t *replayed;     /* and launched_replayed; */
	depends_list waits;     /* by waiter, */
	uint64_t *waits_at_all; /* by work, a bit each: does it wait?  Little does. */
	uint32_t *first_wait;   /* by word of these bits: where the waits of its work begin, and where the last end */
	bool known;             /* is it of all work known on which stream it ran? */
	depends_on *of_row;     /* by row of syncs, while they are looked for; then */
	vec(struct { uint32_t row; depends_on on; }) syncs;     /* those of calls that wait */
	wait_counts *counts;
};

/* Go through all calls in order, and fill it in. */
void depends_go_through(depends *d);

/* Which of two ends last?  At equal ends the first in order of work. */
static inline uint32_t depends_later(const trace *t, uint32_t a, uint32_t b)
{
	int64_t x, y;

	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	x = t->work.end[a];
	y = t->work.end[b];
	return x != y ? (x > y ? a : b) : a < b ? a : b;
}
