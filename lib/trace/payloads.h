/*
 * payloads - what NCCL says about its operations: the payloads of its NVTX ranges.
 *
 *     const trace_payload *p = payloads_find(t, 0);        // of the first range; needs TRACE_PAYLOADS
 *     if (p)
 *         printf("%016llx %lld\n", (unsigned long long)p->comm, (long long)p->bytes);
 *
 * A payload is either a JSON object, or a few bytes whose layout a schema in the trace describes.  Schemas differ
 * between versions of NCCL, so fields are found by their names.
 */
#pragma once

#include "sqlite/rows.h"
#include "trace/trace.h"

/* A row of a range with a payload.  Payloads are read together with the ranges (load_nvtx.h), before it is known which
 * domains are NCCL's. */
typedef struct {
	uint32_t thread;        /* key of nvtx_part.ids */
	uint32_t domain;        /* key of nvtx_part.domains */
	int64_t domain_id;      /* domainId */
	int64_t start, end;     /* times of the range; end TRACE_UNKNOWN: it was never closed */
	const rows_text *data;  /* bytes with a schema; data->s NULL: the payload is JSON */
	const rows_text *json;  /* a JSON object; json->s NULL: it is the text with the id json_id */
	int64_t json_id;        /* id in nsys's table of strings */
} payload_row;

typedef struct {                /* a payload that was read and names a communicator */
	trace_payload payload;  /* its thread is a key of nvtx_part.ids */
	uint32_t domain;        /* key of nvtx_part.domains */
} payload_found;

typedef struct {
	size_t no_schema, cut;  /* numbers of payloads without a usable schema, and of payloads shorter than their
				 * schema */
} payload_unread;

typedef struct {                /* a payload in JSON, which is read only if its domain is NCCL's */
	uint32_t thread;        /* key of nvtx_part.ids */
	uint32_t domain;        /* key of nvtx_part.domains */
	uint32_t text;          /* string of payloads_part.texts; STR_NONE: the text is in nsys's table of strings */
	int64_t id;             /* id in that table, if text is STR_NONE */
	int64_t start, end;     /* times of the range */
} payload_json;

typedef struct {                /* the payloads that one worker reads */
	vec(payload_found) found;       /* payloads that had a schema */
	vec(payload_unread) unread;     /* by key of nvtx_part.domains */
	vec(payload_json) json;
	str_pool texts;                 /* texts of `json` */
} payloads_part;

typedef struct payload_schemas payload_schemas;

/* Read the schemas of a trace.  NULL after a problem. */
payload_schemas *payloads_read_schemas(const db *d);
void payloads_schemas_free(payload_schemas *r);

/* Add the payload of a row to p. */
void payloads_take(const payload_schemas *r, payloads_part *p, const payload_row *row);

void payloads_part_free(payloads_part *p);

/* Make trace.payloads from the payloads of all parts, once ranges and domains are built.  False after a problem. */
struct nvtx_raw;
bool payloads_collect(trace *t, const struct nvtx_raw *raw);

/* The payload of a range of trace.pushpop; NULL: it has none that names a communicator.  Needs TRACE_PAYLOADS. */
const trace_payload *payloads_find(const trace *t, size_t range);
