/*
 * load_work - reads kernels, copies, sets and whole graphs into trace.work.
 *
 *     work_raw raw = { 0 };
 *     if (load_work(t, TRACE_KERNELS, &raw))
 *         printf("%zu kernels in %zu places\n", t->work.n, raw.places.n);
 *     load_work_free(&raw);
 *
 * order_work.h sorts them, and launches.h joins them to the calls that launched them.
 */
#pragma once

#include "base/column.h"
#include "trace/event_span.h"
#include "trace/trace.h"

typedef struct {                /* a stream as rows of work name it; work_raw.places may have several for one stream */
	int64_t global_pid;     /* globalPid; -1: the export has none */
	int64_t process;        /* as in global_id.h; set by order_work_adopt */
	int64_t gpu, ctx, stream;
} work_place;

typedef struct {
	vec(work_place) places; /* where work runs.  Before order_work_build, trace.work.stream has indices into this
				 * list; afterwards, places.v[i] is the place of trace.streams[i] */
	int64_t adopter;        /* process (as in global_id.h) of work without a globalPid; set by order_work_adopt */
	size_t kernels;         /* number of types of kernels, which are the first ones in trace.work.types */
	event_spans spans[4];   /* by enum work_kind: the spans of each globalPid, if the table is not loaded; otherwise
				 * empty */
} work_raw;

/* List the arrays of w that load_work fills, for functions that treat all of them alike (base/column.h).  Arrays that
 * are not needed are NULL. */
enum { LOAD_WORK_COLUMNS = 11 };
void load_work_get_columns(trace_work *w, column c[LOAD_WORK_COLUMNS]);

/* Read the tables that are needed into trace.work, one after the other.  Only the spans of the other tables are read.
 * False after a problem. */
bool load_work(trace *t, unsigned need, work_raw *raw);
void load_work_free(work_raw *raw);

/* The meaning of trace_work.copy_kind, such as "h2d"; for sets always "memset".  NULL: the trace does not say. */
const char *work_copy_kind(uint8_t copy_kind, enum work_kind kind);

/* The meaning of trace_work.src_kind or dst_kind, such as "pinned".  NULL: the trace does not say. */
const char *work_mem_kind(uint8_t mem_kind);

/* Is it a copy of that name, such as "memcpy h2d"? */
bool work_is_copy(const trace *t, size_t work, const char *name);

/* Does it copy from or to pageable memory? */
bool work_is_pageable(const trace *t, size_t work);

/* The name that nsys's reports give to a copy or set: "[CUDA memcpy Host-to-Device]" for "memcpy h2d".  Other names are
 * returned as they are. */
const char *work_nsys_name(const char *name);

/* The class of a piece of work: "comm" (kernels and copies that communicate), "copy" (other copies, and sets), "graph"
 * (whole graphs) or "compute" (other kernels). */
const char *work_class(const trace *t, size_t work);

/* The class of a stream, by its loaded work: "compute" if it has a kernel that computes or a whole graph; otherwise
 * "comm" if it has kernels; otherwise "copy". */
const char *work_stream_class(const trace_stream *s);
