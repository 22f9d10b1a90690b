/*
 * allowed - opens SQLite connections that may do only what their use needs.  No other module opens connections.
 *
 *     sqlite3 *sql;
 *     if (allowed_open(":memory:", SQLITE_OPEN_READWRITE, ALLOWED_READ, &sql) == SQLITE_OK)
 *         sqlite3_exec(sql, "ATTACH 'other.db' AS other", NULL, NULL, NULL);     // not authorized
 *     sqlite3_close(sql);
 *
 *     if (!allowed_function("fts3_tokenizer"))
 *         puts("it reads and writes addresses of the process");
 *
 * No connection may load an extension, or run a trigger, a view or a virtual table that a file defines.  None may
 * attach a file, except after allowed_unrestrict.  Features that a later version or another build of SQLite adds are
 * refused until allowed.c lists them.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

enum allowed_use {
	ALLOWED_READ,           /* read tables, and describe them */
	ALLOWED_ADD,            /* also add tables, and add and change rows, in the databases main and temp, but not in
				 * an attached file; and call functions of nsq whose names begin with slice_ */
};

/* Open a connection.  Returns an error code of SQLite.  *sql must be closed even if the call fails. */
int allowed_open(const char *name, int flags, enum allowed_use use, sqlite3 **sql);

/* May a statement do this?  The arguments are those of an authorizer of SQLite. */
bool allowed_may_do(enum allowed_use use, int action, const char *a, const char *b, const char *schema);

/* Restrict a connection to a use. */
void allowed_restrict(sqlite3 *sql, enum allowed_use use);

/* Allow everything until allowed_restrict is called, for code that attaches a trace or adds a virtual table. */
void allowed_unrestrict(sqlite3 *sql);

/* May a query call this function? */
bool allowed_function(const char *name);
