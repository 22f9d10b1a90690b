/*
 * slice_facts - what the tools read from a whole trace, recorded in a slice of it: the table NSQ_SLICE.
 *
 *     const slice_facts *f = slice_facts_of(t);  // NULL: it is no slice
 *     for (const slice_fact *x = slice_facts_first(f, "stream"); x; x = slice_facts_next(f, x))
 *         printf("%lld\n", (long long)x->v[0]);
 *
 * A fact is a word and up to six numbers, which share/conventions/slice.md lists.
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"
#include "trace/trace.h"

enum { SLICE_NUMBERS = 6 };

typedef struct {
	const char *fact;
	int64_t v[SLICE_NUMBERS];
} slice_fact;

typedef struct slice_facts {
	slice_fact *v;          /* in order of fact, as they were added */
	size_t n, room;
	arena texts;
} slice_facts;

/* Those of the trace, read when they are first asked for. */
const slice_facts *slice_facts_of(trace *t);

void slice_facts_add(slice_facts *f, const char *fact, const int64_t v[SLICE_NUMBERS]);
#define SLICE_FACT(f, fact, ...) slice_facts_add((f), (fact), (int64_t[SLICE_NUMBERS]){ __VA_ARGS__ })
void slice_facts_free(slice_facts *f);

/* The facts of one kind; NULL: there are no more.  f may be NULL. */
const slice_fact *slice_facts_first(const slice_facts *f, const char *fact);
const slice_fact *slice_facts_next(const slice_facts *f, const slice_fact *x);
