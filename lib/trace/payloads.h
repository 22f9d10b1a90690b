/*
 * payloads - what NCCL says of its operations: the payloads of its NVTX ranges.
 *
 *     payloads p = { 0 };
 *     if (payloads_load(t, &p))                  // a trace with ranges
 *         for (size_t i = 0; i < p.n; i++)
 *             printf("%016llx %lld\n", (unsigned long long)p.v[i].comm, (long long)p.v[i].bytes);
 *     payloads_free(&p);
 *
 * A payload is a few bytes whose layout is a schema in the trace, different in each
 * version of NCCL; its fields are found by their names.
 */
#ifndef PAYLOADS_H
#define PAYLOADS_H

#include "trace/trace.h"

typedef struct {                /* of a range that names a communicator */
	uint32_t thread;
	int64_t start, end;     /* of the range; end TRACE_UNKNOWN: it was never closed */
	uint64_t comm;          /* NCCL communicator ID */
	int64_t bytes;          /* Message size [bytes]; this and what follows: TRACE_UNKNOWN without such a field */
	int64_t peer;           /* Peer rank */
	int64_t size;           /* No. of ranks: the range creates the communicator, */
	int64_t rank;           /* and Rank, that of the process in it */
} payload;

typedef struct {
	payload *v;             /* sorted by thread, start, end from the latest */
	size_t n, room;
	size_t no_schema;       /* payloads of NCCL's ranges that cannot be read: their schema is not in the trace or */
	size_t cut;             /* contradicts itself; they are shorter than their schema */
} payloads;

/* Needs TRACE_RANGE_TIMES.  False after a problem. */
bool payloads_load(trace *t, payloads *out);
void payloads_free(payloads *p);

/* The payload of a range of trace.pushpop, or NULL. */
const payload *payloads_of(const payloads *p, const trace *t, size_t range);

#endif
