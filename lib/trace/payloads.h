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

#include "sqlite/rows.h"
#include "trace/trace.h"

/* Payloads come with the ranges (load_nvtx.h), before it is known which domains are NCCL's.  Threads and domains are
 * keys of the part that reads them. */
typedef struct {
	uint32_t thread, domain;
	int64_t domain_id, start, end;
	const rows_text *data;  /* it is this; else JSON: a text, or if that is NULL, the string with json_id */
	const rows_text *json;
	int64_t json_id;
} payload_row;

typedef struct {
	trace_payload of;
	uint32_t domain;
} payload_found;

typedef struct {
	size_t no_schema, cut;  /* as in trace_payloads */
} payload_unread;

typedef struct {
	uint32_t thread, domain;
	uint32_t text;          /* string of its part; STR_NONE: it is the trace's string */
	int64_t id;             /* with this id */
	int64_t start, end;
} payload_json;

typedef struct {
	vec(payload_found) found;
	vec(payload_unread) unread;     /* by domain */
	vec(payload_json) json;
	str_pool texts;
} payloads_part;

typedef struct payload_schemas payload_schemas;

payload_schemas *payloads_schemas(const db *d);         /* NULL after a problem */
void payloads_schemas_free(payload_schemas *r);
void payloads_take(const payload_schemas *r, payloads_part *p, const payload_row *row);
void payloads_part_free(payloads_part *p);

/* Fill in trace.payloads, of what the parts took; ranges and domains are there.  False after a problem. */
struct nvtx_raw;
bool payloads_collect(trace *t, const struct nvtx_raw *raw);

/* The payload of a range of trace.pushpop, or NULL (TRACE_PAYLOADS). */
const trace_payload *payloads_of(const trace *t, size_t range);
