/*
 * virtual_table - a table as SQLite sees it: loaded when a query first reads it, never copied.
 *
 *     virtual_table v = { .name = "t", .columns = t, .rows = t };
 *     if (virtual_table_add(sql, &v))
 *         sqlite3_exec(sql, "SELECT count(*) FROM t WHERE start_ns > 5", NULL, NULL, NULL);
 *     virtual_table_free(&v);                    // after sqlite3_close
 *
 * Conditions on pid, start_ns and end_ns, and `column = value`, are looked up instead of scanned for; so is the order
 * of one column.  SQLite checks every row again, so that a condition which cannot be looked up, such as one with a
 * text, costs time and nothing else.
 */
#pragma once

#include "table/row_index.h"

#include <sqlite3.h>

typedef struct virtual_table {
	const char *name;
	const table *columns;           /* what it declares */
	const table *rows;              /* what it holds; NULL: load it when it is read */
	/* Set rows, to a table with at least the columns used, and place; false if that fails. */
	bool (*load)(struct virtual_table *v, void *ctx);
	void *ctx;

	bool *used;                     /* by column: does a query read it?  known once the query is prepared */
	bool named;                     /* does a query name it? */
	bool failed;                    /* could it not be loaded? */
	bool reals;                     /* are whole numbers of a column with fractions reals, too? */
	bool utf16;                     /* does SQLite compare texts as UTF-16, which orders them otherwise? */
	int *place;                     /* by column: its position in rows, -1: not there; NULL: the same */
	row_index index;
} virtual_table;

/* Declare it; v must outlive the connection.  False after an error, which SQLite explains. */
bool virtual_table_add(sqlite3 *sql, virtual_table *v);

void virtual_table_free(virtual_table *v);
