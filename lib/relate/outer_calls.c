#include "relate/outer_calls.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/call_class.h"

/* Calls are in order of start, the outer one first.  Those of a thread nest, so a call is outermost if it
 * starts when the outermost call before it has ended. */
static void *make(trace *t, int64_t unused UNNEEDED)
{
	const trace_calls *c = &t->calls;
	outer_calls *out = mem_new(outer_calls, 1);
	int64_t *until = mem_new(int64_t, t->nthreads);
	size_t *next = mem_new(size_t, t->nthreads);

	out->first = mem_new(size_t, t->nthreads + 1);
	for (int pass = 0; pass < 2; pass++) {   /* count, then place */
		for (size_t i = 0; i < t->nthreads; i++) {
			until[i] = INT64_MIN;
			next[i] = out->first[i];
		}
		for (size_t i = 0; i < c->n; i++) {
			uint32_t th = calls_thread(c, i);
			if (c->start[i] < until[th]) {
				size_t around = next[th] - 1;
				if (pass && calls_class(c, i) == CALL_SYNC)
					out->holds_sync[around / 8] |= (uint8_t)(1 << around % 8);
				continue;
			}
			until[th] = calls_end(c, i);
			if (pass)
				out->calls[next[th]++] = (uint32_t)i;
			else
				out->first[th + 1]++;
		}
		for (size_t i = 0; !pass && i < t->nthreads; i++)
			out->first[i + 1] += out->first[i];
		if (!pass) {
			out->calls = mem_grow(NULL, out->first[t->nthreads], sizeof *out->calls);
			out->holds_sync = mem_new(uint8_t, out->first[t->nthreads] / 8 + 1);
		}
	}
	mem_free(until, next);
	return out;
}

static void drop(void *made)
{
	outer_calls *o = made;

	mem_free(o->calls, o->first, o->holds_sync, o);
}

const outer_calls *outer_calls_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

/* Outermost calls of a thread do not overlap, so their ends rise as their starts do, and a search by end is
 * sound.  From `near` it goes in steps that double: whatever is before lo ends by the moment, and the call
 * at hi, if there is one, ends after it. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t near)
{
	const trace_calls *c = &t->calls;
	size_t lo = o->first[thread], hi = o->first[thread + 1], i;

	if (near >= lo && near < hi) {
		size_t step = 1;
		if (calls_end(c, o->calls[near]) > moment) {
			for (hi = near; hi - lo > step && calls_end(c, o->calls[hi - step]) > moment; step *= 2)
				hi -= step;
			lo = hi - lo > step ? hi - step : lo;
		} else {
			for (lo = near + 1; hi - lo > step && calls_end(c, o->calls[lo + step]) <= moment; step *= 2)
				lo += step;
			hi = hi - lo > step ? lo + step : hi;
		}
	}
	search_first(i, lo, hi, calls_end(c, o->calls[i]) > moment);
	return i;
}
