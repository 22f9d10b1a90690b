/*
 * query - runs one SELECT over virtual tables, and over the tables of a file if one is attached.  The SELECT cannot
 * write, attach or load anything, calls only the functions that table/allowed.c lists, and uses a limited part of the
 * memory.
 *
 *     query *q = query_open("query", "nsq-sql --schema lists the tables", say);
 *     virtual_table v = { .name = "t", .columns = t, .rows = t };
 *     table answer = { 0 };
 *     if (query_add_table(q, &v) && query_run(q, "SELECT name, median(dur_ns) FROM t GROUP BY 1", &answer))
 *         printf("%zu names\n", table_rows(&answer));
 *     query_close(q);                            // frees what belongs to v, too
 *     table_free(&answer);
 *
 * A mistake in the query is a problem with EXIT_WRONG: SQLite's message, the nearest name, and advice.
 */
#pragma once

#include "sqlite/database.h"
#include "sqlite/virtual_table.h"

typedef struct query query;

/* Create a query without tables.  `what` is the word for the query in messages, and `advice` says where to look for
 * names.  Problems go to `say`.  All three must outlive the query. */
query *query_open(const char *what, const char *advice, notes *say);

/* Set what to say, instead of the nearest name, if a statement names the missing table `name`.  Both texts must outlive
 * the query. */
void query_explain_missing(query *q, const char *name, const char *advice);

/* Limit the number of rows that a statement finds; 0: no limit.  The rows may never take more than half of the
 * machine's memory. */
void query_limit_rows(query *q, int64_t rows);

/* Declare a table.  v must outlive the query, and query_close frees what it holds.  False after a problem. */
bool query_add_table(query *q, virtual_table *v);

/* Let statements read the tables of a file as raw.NAME.  Call this before query_add_table.  False after a problem. */
bool query_attach(query *q, const db *d);

/* Check that a text is one statement that only reads; nothing is loaded or run.  False after a problem. */
bool query_check(query *q, const char *sql);

/* Run a statement, and add its columns and rows to `out`.  False after a problem. */
bool query_run(query *q, const char *sql, table *out);

void query_close(query *q);
