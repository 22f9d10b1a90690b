/*
 * acts - the events of threads in order: building them, and finding those of a thread.
 *
 *     acts_list l = { 0 };
 *     acts_add(&l, 0, 100, 200, STR_NONE);      // of thread 0
 *     trace_acts a = acts_of(&l, &t->names, t->nthreads);
 *     for (size_t i = a.first[0]; i < a.first[1]; i++)
 *         printf("%lld\n", (long long)a.start[i]);
 *     acts_free(&a);
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	uint32_t thread;        /* NONE: its events are left out */
	uint32_t name;
} acts_kind;

typedef struct {                /* events in any order */
	int64_t *start, *end;   /* end NULL: they are moments */
	uint32_t *kind;         /* in the kinds of their part */
	uint32_t *chain;        /* or NULL */
} acts_rows;

typedef struct {                /* a part of them */
	size_t first, n;
	acts_kind *kinds;
} acts_part;

typedef struct {
	acts_part *parts;       /* they follow each other in the rows */
	size_t nparts;
	const str_pool *names;  /* NULL: what stands in name is a number, not a string */
	size_t nthreads;
	size_t margin;          /* so many places stay free before and after the events of each thread */
} acts_source;

/* Put them in order, by thread, start, longest first, name, chain.  Takes the rows. */
trace_acts acts_order(acts_rows *rows, const acts_source *from);
void acts_free(trace_acts *a);

/* They are of n threads, which now have other numbers, in the same order, of nthreads. */
void acts_spread(trace_acts *a, const uint32_t *thread, size_t n, size_t nthreads);

typedef struct {                /* events that come one by one */
	size_t n, room;
	acts_rows rows;
	vec(acts_kind) kinds;
} acts_list;

void acts_add(acts_list *l, uint32_t thread, int64_t start, int64_t end, uint32_t name);
void acts_list_free(acts_list *l);

/* Those of the list, in order; it is empty then. */
trace_acts acts_of(acts_list *l, const str_pool *names, size_t nthreads);

/* The first event of the thread that ends at the moment or later, or where its events end. */
size_t acts_reaching(const trace_acts *a, uint32_t thread, int64_t moment);

/* The latest end of the thread's events before this one; INT64_MIN: it is the first. */
int64_t acts_reach_before(const trace_acts *a, uint32_t thread, size_t act);

/* The thread of an event. */
uint32_t acts_thread(const trace_acts *a, size_t nthreads, size_t act);
