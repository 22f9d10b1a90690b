/*
 * load_nvtx - reads NVTX events: ranges into trace.pushpop, and what order_ranges.h needs for the rest.
 *
 *     nvtx_raw raw = { 0 };
 *     if (load_nvtx(t, TRACE_RANGES, &raw) && load_nvtx_names(t, &raw))
 *         load_nvtx_add_ids(&raw, &processes, &threads);
 *     load_nvtx_free(&raw);
 */
#pragma once

#include "base/column.h"
#include "trace/payloads.h"

enum { NVTX_MARK = 34, NVTX_THREAD_NAME = 39, NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTX_CREATE_DOMAIN = 75,
	NVTX_DESTROY_DOMAIN = 76 };

#define NVTX_NEVER INT64_MIN    /* the end of a range that was never closed */

/* A name as it was read: either the index of a text in the part's own pool, or NVTX_BY_ID | the key of a
 * string's id. */
#define NVTX_BY_ID 0x80000000u

typedef struct {                /* the name of a domain or thread, or a text that may be a setup label */
	int64_t type, start, thread, domain;    /* type: eventType, 0: a text that may be a label; thread: global id */
	uint32_t name;
} nvtx_definition;

typedef struct {
	ival span;                      /* IVAL_NOWHERE: the thread only defines domains, or has only rows from before
					 * time 0 */
	uint32_t text;                  /* the text that it had last: index in nvtx_part.texts */
	uint32_t domain;                /* key of its last range's domain; DICT_NONE before the first range */
	int64_t domain_id;              /* id of its last range's domain */
} nvtx_thread;

/* The events that one worker reads, with its own keys for threads, names and domains. */
struct nvtx_part {
	rows_part rows;                 /* its push/pop ranges in trace.pushpop; their threads, names and domains
					   are keys of this part until order_ranges_build */
	dict ids;                       /* global ids of threads */
	vec(nvtx_thread) threads;
	dict text_ids;
	str_pool texts;
	vec(uint32_t) next;             /* by text: the text that followed it the last time on the same thread */
	dict domain_ids;
	dict domains;                   /* pairs (nvtx_pair) of a key of ids and a key of domain_ids */
	vec(size_t) pushpop, startend;  /* by key of domains: number of ranges of each type */
	dict text_id_pairs;                      /* pairs (nvtx_pair) of a key of ids and a key of text_ids */
	vec(int64_t) text_id_start;        /* by pair: start of its first event, which may be a setup label */
	vec(nvtx_definition) definitions;
	vec(int64_t) se_start, se_end;  /* its start/end ranges */
	vec(uint32_t) se_name, se_domain;
	vec(int64_t) mark_start;        /* its marks */
	vec(uint32_t) mark_thread, mark_name;
	payloads_part payloads;
	uint32_t *thread, *name, *text, *kind;          /* thread: by key of ids, index of the thread; name: by text of
							 * `texts`, string; text: by key of text_ids, string; kind: by
							 * key of domains, index into range_kinds.  NULL until these are
							 * numbered */
};

typedef struct nvtx_raw {
	rows_parts parts;               /* what each worker read: struct nvtx_part */
	dict text_ids;                  /* ids of names that are strings of the trace */
	uint32_t *text;                 /* by key of text_ids: string */
} nvtx_raw;

static inline struct nvtx_part *nvtx_part_at(const nvtx_raw *raw, size_t i)
{
	return rows_part_at(struct nvtx_part, &raw->parts, i);
}

/* Read the table.  Without TRACE_RANGES in need, ranges are only counted.  False after a problem. */
bool load_nvtx(trace *t, unsigned need, nvtx_raw *raw);

/* Add the names that were read to the trace's.  False after a problem. */
bool load_nvtx_names(trace *t, nvtx_raw *raw);

/* Does the trace create a domain of this name? */
bool load_nvtx_has_domain(const trace *t, const nvtx_raw *raw, const char *name);

/* Add the processes (global_id.h) and threads (global ids) that have events. */
void load_nvtx_add_ids(const nvtx_raw *raw, dict *processes, dict *threads);
void load_nvtx_free(nvtx_raw *raw);

/* The columns of the ranges r, for code that treats all columns alike. */
enum { LOAD_NVTX_COLUMNS = 4 };
void load_nvtx_columns(trace_ranges *r, column c[LOAD_NVTX_COLUMNS]);

/* Two keys as one number. */
static inline int64_t nvtx_pair(uint32_t a, uint32_t b)
{
	return (int64_t)a << 32 | b;
}

static inline uint32_t nvtx_first(int64_t pair)
{
	return (uint32_t)(pair >> 32);
}

static inline uint32_t nvtx_second(int64_t pair)
{
	return (uint32_t)pair;
}

/* The string of a name as it was read. */
static inline uint32_t nvtx_string(const struct nvtx_part *p, uint32_t name)
{
	return name == STR_NONE ? STR_NONE : name & NVTX_BY_ID ? p->text[name & ~NVTX_BY_ID] : p->name[name];
}
