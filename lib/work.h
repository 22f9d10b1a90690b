/*
 * work - loads kernels, copies, sets and whole graphs into trace.work.
 *
 * Loading is in two steps, as processes can be numbered only when all tables
 * have been read: work_scan reads the columns, puts them in order and makes
 * trace.streams and trace.lanes; work_number says of which process each is.
 */
#ifndef WORK_H
#define WORK_H

#include "span.h"
#include "trace.h"

typedef struct {
	int64_t global_pid;     /* -1: the export has none */
	int64_t gpu, ctx, stream;
} work_place;

typedef struct {
	vec(work_place) places;                 /* where work runs; sorted, one for each stream */
	span_set spans[4];                    /* of the tables that are not loaded */
} work_raw;

bool work_scan(trace *t, unsigned need, work_raw *raw);
void work_ids(const work_raw *raw, dict *processes);      /* announce the global ids met */
void work_number(trace *t, const work_raw *raw);
void work_raw_free(work_raw *raw);

/* The names of the numbers in copy_kind, src_kind and dst_kind. */
const char *work_copy_kind(uint8_t copy_kind, enum work_kind kind);
const char *work_mem_kind(uint8_t mem_kind);

/* Class of each stream over the whole trace, once t->comm is known. */
void work_classify(trace *t);

#endif
