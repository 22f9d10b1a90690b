/*
 * query - one SELECT over virtual tables, and nothing else: it cannot write, attach or load anything, calls only the
 * functions of table/allowed.c, and takes a part of the memory at most.
 *
 *     query *q = query_open("query", "nsq-sql --schema lists the tables", say);
 *     virtual_table v = { .name = "t", .columns = t, .rows = t };
 *     table answer = { 0 };
 *     if (query_add(q, &v) && query_run(q, "SELECT name, median(dur_ns) FROM t GROUP BY 1", &answer))
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

/* what is what messages call it, advice where to look for names; say gets the problems.  All must outlive it. */
query *query_open(const char *what, const char *advice, notes *say);

/* What to say if a query names a table that there is not, instead of the nearest name.  Both must outlive it. */
void query_lacks(query *q, const char *name, const char *advice);

/* How many rows a statement may have; without this, as many as half of the memory holds. */
void query_most(query *q, int64_t rows);

/* Declare a table, which must outlive the query.  False after a problem. */
bool query_add(query *q, virtual_table *v);

/* Let the query reach the tables of a file as raw.NAME, before any table is declared.  False after a problem. */
bool query_attach(query *q, const db *d);

/* Is it one statement that reads?  Nothing is loaded.  False after a problem. */
bool query_check(query *q, const char *sql);

/* The rows of a statement.  False after a problem. */
bool query_run(query *q, const char *sql, table *out);

void query_close(query *q);
