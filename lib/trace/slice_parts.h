/*
 * slice_parts - the state of a slice while it is written.  Only lib/trace/slice_*.c include this.
 */
#pragma once

#include "base/dict.h"
#include "trace/slice_list.h"
#include "trace/slice_write.h"

typedef struct {
	trace *t;
	slice_keep *k;          /* NULL: keep all rows */
	const slice_how *how;
	slice_made *made;
	notes *say;
	slice_list *list;
	sqlite3 *sql;           /* the new file (main), to which the trace is attached (src) */
	bool ok;                /* false once something has failed */
	arena texts;

	group calls;            /* calls in the slice: process, correlation id */
	group nodes;            /* graph nodes in the slice: process, graphNodeId */
	dict memory;            /* row ids of the kept allocations and frees */
	dict chains;            /* while a table of call chains is copied: the ids of its kept chains */
	dict threads;           /* global ids of threads in the slice */
	dict processes;         /* their processes, as in global_id.h */
	dict pids;              /* the pids of these processes */
	str_pool names;         /* the new names that slice_how.names has given so far */
	str_pool hosts;         /* names of hosts; the host with the id i gets the number i + 1 */
	bool has_nvtx;          /* does the slice have a table NVTX_EVENTS? */
	bool has_metrics;       /* does the slice have a table GPU_METRICS? */

	void *copying;          /* what the callback of slice_each works on: while a table is copied, its
				 * slice_write_ctx, or NULL once the table turns out not to be copied; in
				 * slice_memory_choose, the allocations */
	const char *left;       /* slice_part.left of the table that was copied last; in slice_collect_texts, the
				 * TABLE.COLUMN of the texts */
	const char *unknown;    /* slice_part.unknown of the table that was copied last */
	bool one_key;           /* does the primary key of the table that is being copied consist of one column? */
	int64_t count;          /* what slice_write_take_count read last; -1: the rows of the table are not counted
				 * yet */
} slice_ctx;

/* Run a query, formatted as by db_format_query, and call `row` for each row of its result.  A failure sets x->ok to
 * false, and later calls do nothing. */
void slice_each(slice_ctx *x, void (*row)(sqlite3_stmt *s, slice_ctx *x), const char *fmt, ...);

/* Register the SQL functions that the statements use, and choose the allocations that are kept.  This runs before
 * tables are copied. */
void slice_prepare(slice_ctx *x);

typedef struct {                /* a run of consecutive rows, by row id */
	int64_t first, last;
} slice_run;

typedef struct {                /* the kept rows of a table */
	slice_run *v;
	size_t n, room;
	int64_t rows;           /* number of rows in the table, kept or not */
} slice_runs;

/* Are rows of this kind (slice_table.rows) kept because kept events refer to them?  Then their table is copied last. */
bool slice_rows_come_last(const char *rows);

/* Are rows of this kind chosen one by one, by slice_rows_choose?  Otherwise an SQL condition chooses them. */
bool slice_rows_are_chosen(const slice_ctx *x, const char *rows);

/* Choose the rows of a table that are kept, with several threads.  `rows` is their kind.  The caller frees the runs. */
slice_runs slice_rows_choose(slice_ctx *x, const db_table *t, const char *rows);

/* Collect the threads, processes, calls and graph nodes that the copied rows name. */
void slice_collect_references(slice_ctx *x);

/* Fill slice_made.texts and slice_made.secrets. */
void slice_collect_texts(slice_ctx *x);

/* Choose the allocations and frees that are kept (x->memory). */
void slice_memory_choose(slice_ctx *x);

/* Choose the nodes of CUDA graphs that are kept (x->nodes). */
void slice_nodes_choose(slice_ctx *x);

void slice_parts_free(slice_ctx *x);     /* free x's groups, dictionaries and pools */
