/*
 * slice_parts - a slice while it is written.  For lib/trace/slice_*.c alone.
 */
#ifndef SLICE_PARTS_H
#define SLICE_PARTS_H

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
	dict threads, processes, pids;  /* the threads and processes that are in it */
	str_pool names;         /* new names */
	bool has_nvtx, has_metrics;

	void *copying;          /* the table that is copied; NULL: it has no column that is known */
	const char *schema, *left;
	bool one_key;
	int64_t count;
} slicing;

/* Run a statement; false, after a problem, if it or one before it fails. */
bool slice_sql(slicing *x, const char *fmt, ...);

/* Call row for each row of a query. */
void slice_each(slicing *x, void (*row)(sqlite3_stmt *s, slicing *x), const char *fmt, ...);

/* Before tables are copied: the functions that their conditions use, and what has to be known for those. */
void slice_prepare(slicing *x);

/* Once events are copied: which threads and processes these are of. */
void slice_collect(slicing *x);

/* Nothing is written: list the texts of the slice, and what is left out and might be in one. */
void slice_list_texts(slicing *x);

/* Which allocations are kept, and which nodes of CUDA graphs. */
void slice_memory_prepare(slicing *x);
void slice_nodes_collect(slicing *x);

void slicing_end(slicing *x);

#endif
