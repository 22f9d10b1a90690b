/*
 * nvtx - reads NVTX events: ranges into trace.pushpop, and what range.h makes the rest from.
 */
#ifndef NVTX_H
#define NVTX_H

#include "base/column.h"
#include "trace/trace.h"

enum { NVTX_THREAD_NAME = 39, NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTX_CREATE_DOMAIN = 75 };

#define NVTX_NEVER INT64_MIN    /* the end of a range that was not closed */

/* A name as it is read: a text in the part's own pool, or NVTX_BY_ID and the key of a string's id. */
#define NVTX_BY_ID 0x80000000u

typedef struct {                /* a domain's or a thread's name, or what may be a setup label */
	int64_t type, start, thread, domain;
	uint32_t name;
} nvtx_definition;

/* What one thread of ours reads.  Threads, names and domains have keys of the part's own. */
struct nvtx_part {
	dict ids;                       /* global ids of threads */
	vec(ival) span;                 /* by thread; nowhere: it has definitions alone */
	dict text_ids;
	str_pool texts;
	dict domain_ids;
	dict domains;                   /* thread and domain id, */
	vec(size_t) pushpop, startend;  /* and how many ranges of each type */
	dict ided;                      /* thread and text id: */
	vec(int64_t) ided_start;        /* its first event, which may be a setup label */
	vec(nvtx_definition) definitions;
	size_t first, n;                /* its push/pop ranges */
	vec(int64_t) se_start, se_end;  /* its start/end ranges */
	vec(uint32_t) se_thread, se_name, se_domain;
	uint32_t *thread, *name, *text, *domain;        /* by key, once they are numbered */
};

/* Loading is in steps, as threads can be numbered only when all tables have been read. */
typedef struct {
	struct nvtx_part *parts;        /* what each thread read */
	size_t nparts;
	dict text_ids;                  /* of names that are strings of the trace */
	uint32_t *text;                 /* by key of text_ids: string */
} nvtx_raw;

/* Without TRACE_RANGES, TRACE_RANGE_TIMES or TRACE_RANGE_COUNTS in need only the setup labels, and when
 * there are events. */
bool nvtx_scan(trace *t, unsigned need, nvtx_raw *raw);
void nvtx_ids(const nvtx_raw *raw, dict *processes, dict *threads);
void nvtx_raw_free(nvtx_raw *raw);

/* The columns of ranges. */
enum { NVTX_COLUMNS = 5 };
void nvtx_columns(trace_ranges *r, column c[NVTX_COLUMNS]);

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

#endif
