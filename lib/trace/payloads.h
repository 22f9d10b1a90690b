/*
 * payloads - what NCCL says about its operations: the payloads of its NVTX ranges.
 *
 *     const trace_payload *p = payloads_of(t, 0);        // of the first range; needs TRACE_PAYLOADS
 *     if (p)
 *         printf("%016llx %lld\n", (unsigned long long)p->comm, (long long)p->bytes);
 *
 * A payload is either a few bytes, whose layout is a schema in the trace that differs
 * between versions of NCCL, or a JSON object.  Its fields are found by their names.
 */
#pragma once

#include "sqlite/rows.h"
#include "trace/trace.h"

/* A row with a payload.  Payloads are read with the ranges (load_nvtx.h), before it is known which domains are NCCL's.
 * Threads and domains are keys of the part that reads them. */
typedef struct {
	uint32_t thread, domain;
	int64_t domain_id, start, end;
	const rows_text *data;  /* bytes with a schema; data->s NULL: the payload is JSON, in `json` or in the string
				 * json_id */
	const rows_text *json;
	int64_t json_id;
} payload_row;

typedef struct {
	trace_payload of;
	uint32_t domain;
} payload_found;

typedef struct {
	size_t no_schema, cut;  /* unread payloads, counted as in trace_payloads */
} payload_unread;

typedef struct {
	uint32_t thread, domain;
	uint32_t text;          /* string of payloads_part.texts; STR_NONE: the text is a string of the trace */
	int64_t id;             /* id of that string of the trace, if text is STR_NONE */
	int64_t start, end;
} payload_json;

typedef struct {
	vec(payload_found) found;
	vec(payload_unread) unread;     /* by key of the part's domains */
	vec(payload_json) json;
	str_pool texts;
} payloads_part;

typedef struct payload_schemas payload_schemas;

payload_schemas *payloads_schemas(const db *d);         /* Read the schemas of the trace.  NULL after a problem. */
void payloads_schemas_free(payload_schemas *r);
void payloads_take(const payload_schemas *r, payloads_part *p, const payload_row *row);
void payloads_part_free(payloads_part *p);

/* Fill in trace.payloads from all parts, once ranges and domains are built.  False after a problem. */
struct nvtx_raw;
bool payloads_collect(trace *t, const struct nvtx_raw *raw);

/* The payload of a range of trace.pushpop, or NULL.  Needs TRACE_PAYLOADS. */
const trace_payload *payloads_of(const trace *t, size_t range);
