/*
 * acts - the events of threads in order: building them, and finding those of a thread.
 *
 *     trace_acts a = { 0 };
 *     acts_add(&a, 0, 100, 200, STR_NONE);      // of thread 0
 *     acts_order(&a, &t->names, t->nthreads, t->workers);
 *     for (size_t i = a.first[0]; i < a.first[1]; i++)
 *         printf("%lld\n", (long long)a.start[i]);
 *     acts_free(&a);
 */
#pragma once

#include "trace/trace.h"

void acts_add(trace_acts *a, uint32_t thread, int64_t start, int64_t end, uint32_t name);

/* Put them in order, by thread, start, longest first, name, and fill first and reach.  names NULL: what stands
 * in name is a number, not a string. */
void acts_order(trace_acts *a, const str_pool *names, size_t nthreads, par workers);
void acts_free(trace_acts *a);
