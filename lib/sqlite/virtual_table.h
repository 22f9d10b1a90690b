/*
 * virtual_table - a table as SQLite sees it: loaded when a query first reads it, never copied.
 *
 *     virtual_table v = { .name = "t", .columns = t, .rows = t };
 *     if (virtual_table_add(sql, &v))
 *         sqlite3_exec(sql, "SELECT count(*) FROM t WHERE start_ns > 5", NULL, NULL, NULL);
 *     virtual_table_free(&v);                    // after sqlite3_close
 *
 * Bounds on start_ns and end_ns, and `column = value` (such as pid = 7), use an index instead of a scan, and so does
 * ordering by one column.  SQLite checks every row again, so a condition that cannot use an index, such as a time
 * compared with a text, only costs time.
 */
#pragma once

#include "table/row_index.h"

#include <sqlite3.h>

typedef struct virtual_table {
	const char *name;
	const table *columns;           /* the columns that it declares */
	const table *rows;              /* its rows; NULL: they are loaded when a query reads them */
	/* Sets v->rows to a table with at least the used columns, and sets v->place.  False if that fails. */
	bool (*load)(struct virtual_table *v, void *ctx);
	void *ctx;

	bool *used;                     /* by column: does a query read it?  Set when SQLite prepares the query */
	bool named;                     /* does a query name it? */
	bool failed;                    /* did loading fail? */
	bool reals;                     /* do queries see all numbers of a column of type n as reals, even whole
					 * numbers? */
	bool utf16;                     /* does SQLite compare texts as UTF-16, whose order is not that of the index? */
	int *place;                     /* by column of `columns`: its index in `rows`; -1: not loaded, so it reads as
					 * NULL.  place is NULL if the indices are the same */
	row_index index;
} virtual_table;

/* Declare the table.  v must outlive the connection.  False after an error, which SQLite explains. */
bool virtual_table_add(sqlite3 *sql, virtual_table *v);

/* Free what v owns: used, place and index. */
void virtual_table_free(virtual_table *v);
