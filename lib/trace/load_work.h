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

typedef struct {
	int64_t global_pid;     /* -1: the export has none */
	int64_t process;        /* as in global_id.h; set by order_work_adopt */
	int64_t gpu, ctx, stream;
} work_place;

typedef struct {
	vec(work_place) places; /* where work runs; work.stream is an index of these.  order_work_build sorts
				   them, and from then on they are by stream */
	int64_t adopter;        /* the process of work without a globalPid; set by order_work_adopt */
	size_t kernels;         /* how many of work.types are kernels; these come first */
	event_spans spans[4];   /* by kind of work whose table is not loaded: spans by globalPid */
} work_raw;

/* The columns that load_work fills.  Columns that are not needed are NULL. */
enum { LOAD_WORK_COLUMNS = 11 };
void load_work_columns(trace_work *w, column c[LOAD_WORK_COLUMNS]);

/* Read the tables that are needed into trace.work, one after the other, and only the spans of the other tables.  False
 * after a problem. */
bool load_work(trace *t, unsigned need, work_raw *raw);
void load_work_free(work_raw *raw);

/* The meaning of a number in copy_kind, src_kind or dst_kind; for sets, work_copy_kind returns "memset".  NULL: the
 * trace does not say. */
const char *work_copy_kind(uint8_t copy_kind, enum work_kind kind);
const char *work_mem_kind(uint8_t mem_kind);

/* Is it a copy of that name, such as "memcpy h2d"? */
bool work_is_copy(const trace *t, size_t work, const char *name);

/* Does it copy from or to pageable memory? */
bool work_is_pageable(const trace *t, size_t work);

/* The name that nsys's reports give to a copy or set: "[CUDA memcpy Host-to-Device]" for "memcpy h2d".  Other names are
 * returned as they are. */
const char *work_nsys_name(const char *name);

/* The class of a piece of work: compute, comm, graph (a whole graph) or copy (also sets). */
const char *work_class(const trace *t, size_t work);

/* The class of a stream: compute if any kernel computes, comm if all kernels communicate, otherwise copy. */
const char *work_stream_class(const trace_stream *s);
