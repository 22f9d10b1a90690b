/*
 * order_calls - makes trace.calls from the API calls that load_calls.h read: numbers their kinds (trace_call_kind: the
 * calls of one thread with one name), sorts them, and counts them by thread.
 *
 *     order_calls_number(t, &raw);               // once processes and threads are numbered
 *     order_calls_sort(t, need, &raw);
 */
#pragma once

#include "trace/load_calls.h"

/* Set the kinds of calls, and what trace.threads and trace.procs say about calls. */
void order_calls_number(trace *t, calls_raw *raw);

/* Sort the calls as trace_calls says, and find their call chains if `need` has TRACE_CALL_CHAINS. */
void order_calls_sort(trace *t, unsigned need, calls_raw *raw);
