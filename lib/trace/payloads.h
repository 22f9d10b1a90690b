/*
 * payloads - what NCCL says of its operations: the payloads of its NVTX ranges.
 *
 *     const trace_payload *p = payloads_of(t, 0);        // of the first range; needs TRACE_PAYLOADS
 *     if (p)
 *         printf("%016llx %lld\n", (unsigned long long)p->comm, (long long)p->bytes);
 *
 * A payload is a few bytes whose layout is a schema in the trace, different in each
 * version of NCCL, or a JSON object; its fields are found by their names.
 */
#pragma once

#include "trace/trace.h"

/* Fill in trace.payloads; ranges and domains are there.  False after a problem. */
bool payloads_load(trace *t);

/* The payload of a range of trace.pushpop, or NULL (TRACE_PAYLOADS). */
const trace_payload *payloads_of(const trace *t, size_t range);
