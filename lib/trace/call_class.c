#include "trace/call_class.h"
#include "base/memory.h"

#include <string.h>

static const struct { const char *name, *words[6]; } classes[] = {
	[CALL_LAUNCH] = { "launch", { "Launch" } },
	[CALL_SYNC] = { "sync", { "Synchronize" } },
	[CALL_MEMORY] = { "memory", { "Mem", "Malloc", "Free", "HostAlloc", "HostRegister" } },
	[CALL_GRAPH] = { "graph", { "Graph", "Capture" } },
	[CALL_EVENT] = { "event", { "Event" } },
	[CALL_STREAM] = { "stream", { "Stream" } },
	[CALL_MODULE] = { "module", { "Module", "Library", "Kernel", "Func" } },
	[CALL_OTHER] = { "other", { "" } },
};

enum call_class call_class(const char *name)
{
	for (int c = 0; c < CALL_OTHER; c++)
		for (int w = 0; classes[c].words[w]; w++)
			if (strstr(name, classes[c].words[w]))
				return (enum call_class)c;
	return CALL_OTHER;
}

const char *call_class_name(enum call_class c)
{
	return classes[c].name;
}

enum call_class call_class_named(const char *s)
{
	int c = 0;

	while (c <= CALL_OTHER && strcmp(classes[c].name, s) != 0)
		c++;
	return (enum call_class)c;
}

size_t call_base_length(const char *name)
{
	size_t n = strlen(name), before;

	do {
		before = n;
		if (n > 5 && (memcmp(name + n - 5, "_ptsz", 5) == 0 || memcmp(name + n - 5, "_ptds", 5) == 0))
			n -= 5;
		size_t digits = n;
		while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
			digits--;
		if (digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
			n = digits - 2;
	} while (n < before);
	return n;
}

call_threads call_outermost(const trace *t)
{
	const trace_calls *c = &t->calls;
	call_threads out = { NULL, mem_new(size_t, t->nthreads + 1), NULL };
	int64_t *until = mem_new(int64_t, t->nthreads);
	size_t *next = mem_new(size_t, t->nthreads);

	for (int pass = 0; pass < 2; pass++) {   /* count, then place */
		for (size_t i = 0; i < t->nthreads; i++) {
			until[i] = INT64_MIN;
			next[i] = out.first[i];
		}
		for (size_t i = 0; i < c->n; i++) {
			uint32_t th = c->thread[i];
			if (c->start[i] < until[th]) {
				size_t around = next[th] - 1;
				if (pass && c->class[i] == CALL_SYNC)
					out.holds_sync[around / 8] |= (uint8_t)(1 << around % 8);
				continue;
			}
			until[th] = c->end[i];
			if (pass)
				out.calls[next[th]++] = (uint32_t)i;
			else
				out.first[th + 1]++;
		}
		for (size_t i = 0; !pass && i < t->nthreads; i++)
			out.first[i + 1] += out.first[i];
		if (!pass) {
			out.calls = mem_grow(NULL, out.first[t->nthreads], sizeof *out.calls);
			out.holds_sync = mem_new(uint8_t, out.first[t->nthreads] / 8 + 1);
		}
	}
	free(until);
	free(next);
	return out;
}

void call_threads_free(call_threads *c)
{
	free(c->calls);
	free(c->first);
	free(c->holds_sync);
}

size_t call_after(const trace *t, const call_threads *c, uint32_t thread, int64_t moment, size_t near)
{
	const int64_t *end = t->calls.end;
	size_t lo = c->first[thread], hi = c->first[thread + 1];

	if (near >= lo && near < hi) {          /* in steps that double, away from there */
		size_t step = 1;
		if (end[c->calls[near]] > moment) {
			for (hi = near; hi - lo > step && end[c->calls[hi - step]] > moment; step *= 2)
				hi -= step;
			lo = hi - lo > step ? hi - step : lo;
		} else {
			for (lo = near + 1; hi - lo > step && end[c->calls[lo + step]] <= moment; step *= 2)
				lo += step;
			hi = hi - lo > step ? lo + step : hi;
		}
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (end[c->calls[mid]] > moment)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}
