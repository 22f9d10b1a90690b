/*
 * load_nvtx - reads NVTX events: push/pop ranges into trace.pushpop; start/end ranges, marks, domains and names into
 * nvtx_raw, from which order_ranges.h builds the trace.
 *
 *     nvtx_raw raw = { 0 };
 *     if (load_nvtx(t, TRACE_RANGES, &raw) && load_nvtx_add_names(t, &raw))
 *         load_nvtx_add_ids(&raw, &processes, &threads);
 *     load_nvtx_free(&raw);
 */
#pragma once

#include "base/column.h"
#include "trace/payloads.h"

enum { NVTX_MARK = 34, NVTX_THREAD_NAME = 39, NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTX_CREATE_DOMAIN = 75,
	NVTX_DESTROY_DOMAIN = 76 };

#define NVTX_NEVER INT64_MIN    /* the end of a range that was never closed */

/* A name as it was read is an index into nvtx_part.texts; or, with the bit NVTX_BY_ID, a key of nvtx_part.text_ids; or
 * STR_NONE. */
#define NVTX_BY_ID 0x80000000u

typedef struct {                /* an event that names a domain or a thread, or whose text may be a setup label
				 * (order_ranges.h) */
	int64_t type;           /* eventType; 0: the text may be a setup label */
	int64_t start;
	int64_t thread;         /* global id */
	int64_t domain;         /* domainId */
	uint32_t name;          /* the name or the text, as it was read */
} nvtx_definition;

typedef struct {
	ival span;                      /* span of the thread's events; IVAL_NOWHERE: it has only rows about domains, or
					 * from before time 0 */
	uint32_t text;                  /* the text of its last event that had one: index into nvtx_part.texts */
	uint32_t domain;                /* its last range's domain: key of nvtx_part.domains; DICT_NONE: none so far */
	int64_t domain_id;              /* domainId of its last range */
} nvtx_thread;

/* The events that one worker reads, with its own keys for threads, names and domains. */
struct nvtx_part {
	rows_part rows;                 /* its push/pop ranges in trace.pushpop; until order_ranges_build, `kind` of
					 * these is a key of domains, and `name` a name as it was read */
	dict ids;                       /* global ids of threads */
	vec(nvtx_thread) threads;
	dict text_ids;                  /* ids (textId) of texts in nsys's table of strings */
	str_pool texts;                 /* texts that the rows themselves have */
	vec(uint32_t) next;             /* by text: the text that followed it the last time on the same thread */
	dict domain_ids;                /* domainIds of ranges */
	dict domains;                   /* pairs (nvtx_pair) of a key of ids and a key of domain_ids */
	vec(size_t) pushpop, startend;  /* by key of domains: number of push/pop ranges, of start/end ranges */
	dict text_id_pairs;             /* pairs (nvtx_pair) of a key of ids and a key of text_ids */
	vec(int64_t) text_id_start;     /* by key of text_id_pairs: start of the thread's first event with the text,
					 * which may be a setup label */
	vec(nvtx_definition) definitions;
	vec(int64_t) se_start, se_end;  /* start/end ranges; se_name: names as they were read; se_domain: keys of
					 * domains */
	vec(uint32_t) se_name, se_domain;
	vec(int64_t) mark_start;        /* marks; mark_thread: keys of ids; mark_name: names as they were read */
	vec(uint32_t) mark_thread, mark_name;
	payloads_part payloads;
	uint32_t *thread;               /* by key of ids: index into trace.threads; NULL before order_ranges_number */
	uint32_t *name;                 /* by index into texts: string of the trace; NULL before load_nvtx_add_names */
	uint32_t *text;                 /* by key of text_ids: string of the trace; NULL before load_nvtx_add_names */
	uint32_t *kind;                 /* by key of domains: index into trace.range_kinds; NULL before
					 * order_ranges_build */
};

typedef struct nvtx_raw {
	rows_parts parts;               /* what each worker read: struct nvtx_part */
	dict text_ids;                  /* the text_ids of all parts */
	uint32_t *text;                 /* by key of text_ids: string of the trace */
} nvtx_raw;

static inline struct nvtx_part *nvtx_part_at(const nvtx_raw *raw, size_t i)
{
	return rows_part_at(struct nvtx_part, &raw->parts, i);
}

/* Read the table NVTX_EVENTS.  Without TRACE_RANGES in need, ranges are only counted.  False after a problem. */
bool load_nvtx(trace *t, unsigned need, nvtx_raw *raw);

/* Add the texts of all parts to trace.names, and set nvtx_part.name and text.  False after a problem. */
bool load_nvtx_add_names(trace *t, nvtx_raw *raw);

/* Does an event create a domain of this name?  Names must be loaded (load_nvtx_add_names). */
bool load_nvtx_has_domain(const trace *t, const nvtx_raw *raw, const char *name);

/* Add the processes (as in global_id.h) and threads (global ids) that have NVTX events to the two dictionaries. */
void load_nvtx_add_ids(const nvtx_raw *raw, dict *processes, dict *threads);
void load_nvtx_free(nvtx_raw *raw);

/* List the arrays of the ranges r, for functions that treat all of them alike (base/column.h). */
enum { LOAD_NVTX_COLUMNS = 4 };
void load_nvtx_list_columns(trace_ranges *r, column c[LOAD_NVTX_COLUMNS]);

/* Two keys as one number, and back. */
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

/* The string of the trace for a name as it was read. */
static inline uint32_t nvtx_string(const struct nvtx_part *p, uint32_t name)
{
	return name == STR_NONE ? STR_NONE : name & NVTX_BY_ID ? p->text[name & ~NVTX_BY_ID] : p->name[name];
}
