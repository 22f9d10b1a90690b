/*
 * work - reads kernels, copies, sets and whole graphs into trace.work.
 *
 * They are put in order by lane.h, and joined to the calls that launched them by join.h.
 */
#ifndef WORK_H
#define WORK_H

#include "base/column.h"
#include "trace/event_span.h"
#include "trace/trace.h"

typedef struct {
	int64_t global_pid;     /* -1: the export has none */
	int64_t gpu, ctx, stream;
} work_place;

typedef struct {
	vec(work_place) places; /* where work runs: work.stream numbers these until lane_build sorts them */
	vec(uint32_t) names;    /* of kernels: strings */
	span_set spans[4];      /* of the tables that are not loaded */
} work_raw;

/* The columns that work_scan fills, NULL those that were not asked for. */
enum { WORK_COLUMNS = 12 };
void work_columns(trace_work *w, column c[WORK_COLUMNS]);

bool work_scan(trace *t, unsigned need, work_raw *raw);
void work_raw_free(work_raw *raw);

/* The names of the numbers in copy_kind, src_kind and dst_kind. */
const char *work_copy_kind(uint8_t copy_kind, enum work_kind kind);
const char *work_mem_kind(uint8_t mem_kind);

#endif
