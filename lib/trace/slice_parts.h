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
	sqlite3 *sql;           /* the new file, with the trace as src */
	bool ok;                /* false once something has failed */
	arena texts;

	group calls;            /* calls in the slice: process, correlation id */
	group nodes;            /* graph nodes in the slice: process, graphNodeId */
	dict memory;            /* row ids of the kept allocations and frees */
	dict chains;            /* ids of the call chains that are kept, of the table of call chains that is being
				 * copied */
	dict threads, processes, pids;  /* global ids of threads in the slice, their processes (global_id.h) and pids */
	str_pool names;         /* new names, as --names gives them */
	str_pool hosts;         /* names of hosts, in the order of their numbers, which begin with 1 */
	bool has_nvtx, has_metrics;

	void *copying;          /* the slice_write_ctx of the table that is being copied; NULL: it cannot be copied
				 * (slice_write_copy_table).  In slice_memory_prepare: the allocations */
	const char *left, *unknown;     /* of the table that was copied last, as in slice_part; in slice_collect_texts,
					 * left is the TABLE.COLUMN of the texts */
	bool one_key;           /* has the table that is being copied a key of one column? */
	int64_t count;          /* the last number that was counted; -1: not counted yet */
} slice_ctx;

/* Run a query, and call `row` for each of its rows. */
void slice_each(slice_ctx *x, void (*row)(sqlite3_stmt *s, slice_ctx *x), const char *fmt, ...);

/* Register the SQL functions that the statements use, and choose the allocations that are kept.  This runs before
 * tables are copied. */
void slice_prepare(slice_ctx *x);

typedef struct {                /* a run of consecutive rows, by row id */
	int64_t first, last;
} slice_run;

typedef struct {
	slice_run *v;
	size_t n, room;
	int64_t rows;           /* number of rows in the table */
} slice_runs;

/* About a kind of rows in share/slice/tables.tsv.  slice_rows_come_last: do kept events decide which rows are
 * kept, so that these tables are copied last?  slice_rows_are_chosen: are the rows chosen one by one? */
bool slice_rows_come_last(const char *rows);
bool slice_rows_are_chosen(const slice_ctx *x, const char *rows);

/* Choose the rows of a table that are kept, with several threads.  `rows` is their kind.  The caller frees the runs. */
slice_runs slice_rows_choose(slice_ctx *x, const db_table *t, const char *rows);

/* Collect the threads and processes of the copied events. */
void slice_collect(slice_ctx *x);

/* List the texts that a slice would show, and the left-out texts that might occur in them.  Nothing is written. */
void slice_collect_texts(slice_ctx *x);

/* Choose the allocations, and the nodes of CUDA graphs, that are kept. */
void slice_memory_prepare(slice_ctx *x);
void slice_nodes_collect(slice_ctx *x);

void slice_parts_end(slice_ctx *x);
