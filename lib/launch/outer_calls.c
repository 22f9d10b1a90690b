#include "launch/outer_calls.h"
#include "base/memory.h"
#include "base/search.h"

#include <string.h>

/* Calls are in order of start; at equal starts, the outer call comes first.  The calls of a thread nest.  A call is
 * therefore outermost if the last outermost call of its thread has ended when the call starts. */
static void *outer_calls_build(trace *t, int64_t unused UNNEEDED)
{
	const trace_calls *c = &t->calls;
	outer_calls *o = mem_new(outer_calls, 1);
	int64_t *outer_end = mem_grow(NULL, t->nthreads, sizeof *outer_end);
	size_t *next = mem_new(size_t, t->nthreads + 1);
	bool *outer = mem_new(bool, c->n);

	o->first = mem_new(size_t, t->nthreads + 1);
	for (size_t i = 0; i < t->nthreads; i++)
		outer_end[i] = INT64_MIN;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t thread = calls_thread(c, i);
		if (c->start[i] < outer_end[thread])
			continue;
		outer_end[thread] = c->end[i];
		o->first[thread + 1]++;
		outer[i] = true;
	}
	for (size_t i = 0; i < t->nthreads; i++)
		o->first[i + 1] += o->first[i];
	memcpy(next, o->first, (t->nthreads + 1) * sizeof *next);
	o->call = mem_grow(NULL, o->first[t->nthreads], sizeof *o->call);
	for (size_t i = 0; i < c->n; i++)
		if (outer[i])
			o->call[next[calls_thread(c, i)]++] = (uint32_t)i;
	mem_free(outer_end, next, outer);
	return o;
}

static void outer_calls_release(void *made)
{
	outer_calls *o = made;

	mem_free(o->first, o->call, o);
}

const outer_calls *outer_calls_of(trace *t)
{
	return trace_keep(t, outer_calls_build, 0, outer_calls_release);
}

/* Outermost calls of a thread do not overlap, so they are also in order of end, which the binary search needs. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t from)
{
	size_t i;

	search_near(i, from, o->first[thread], o->first[thread + 1], t->calls.end[outer_call(o, i)] > moment);
	return i;
}
