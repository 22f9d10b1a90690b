/*
 * slice_parts - a slice while it is written.  For lib/trace/slice_*.c alone.
 */
#pragma once

#include "base/dict.h"
#include "trace/slice_list.h"
#include "trace/slice_write.h"

typedef struct {
	trace *t;
	slice_keep *k;          /* NULL: all rows */
	const slice_how *how;
	slice_made *made;
	notes *say;
	slice_list *list;
	sqlite3 *sql;           /* the new file, with the trace as src */
	bool ok;                /* nothing has failed */
	arena texts;

	group calls;            /* process, correlation id: calls that are in the slice, */
	group nodes;            /* process, graphNodeId: and nodes; */
	dict memory;            /* row ids of allocations and frees; */
	dict chains;            /* the call chains of the table that is copied; */
	dict threads, processes, pids;  /* the threads and processes that are in it */
	str_pool names;         /* new names; */
	str_pool hosts;         /* hosts, by number */
	bool has_nvtx, has_metrics;

	void *copying;          /* the table that is copied; NULL: it has no column that is known */
	const char *left, *unknown;
	bool one_key;
	int64_t count;
} slice_ctx;

/* Call row for each row of a query. */
void slice_each(slice_ctx *x, void (*row)(sqlite3_stmt *s, slice_ctx *x), const char *fmt, ...);

/* Before tables are copied: the functions that their conditions use, and what has to be known for those. */
void slice_prepare(slice_ctx *x);

typedef struct {                /* rows that follow each other, by row id */
	int64_t first, last;
} slice_run;

typedef struct {
	slice_run *v;
	size_t n, room;
	int64_t rows;           /* how many the table has */
} slice_runs;

/* Rows of a kind of share/slice/tables.tsv: do they depend on events that are kept, and are they chosen one by one? */
bool slice_rows_last(const char *rows);
bool slice_rows_chosen(const slice_ctx *x, const char *rows);

/* Choose them, by several threads.  The caller frees it. */
slice_runs slice_rows_choose(slice_ctx *x, const db_table *t, const char *rows);

/* Once events are copied: which threads and processes these are of. */
void slice_collect(slice_ctx *x);

/* Nothing is written: list the texts of the slice, and what is left out and might be in one. */
void slice_list_texts(slice_ctx *x);

/* Which allocations are kept, and which nodes of CUDA graphs. */
void slice_memory_prepare(slice_ctx *x);
void slice_nodes_collect(slice_ctx *x);

void slicing_end(slice_ctx *x);
