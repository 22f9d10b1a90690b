/*
 * order_calls - turns the API calls that were read into trace.calls: their kinds, their order, and counts by thread.
 *
 *     order_calls_number(t, &raw);               // once processes and threads are numbered
 *     order_calls_sort(t, need, &raw);
 */
#pragma once

#include "trace/load_calls.h"

/* Set the kinds of calls, and the counts and spans of their threads and processes. */
void order_calls_number(trace *t, calls_raw *raw);

/* Sort the calls: by start, longest first, thread, class, name, correlation id. */
void order_calls_sort(trace *t, unsigned need, calls_raw *raw);
