/*
 * database - a SQLite file, opened so that it is never written, locked or indexed.
 *
 *     notes say = { 0 };
 *     db *d = db_open("run.sqlite", &say);       // NULL: say has the reason
 *     const db_table *t = d ? db_find(d, "CUPTI_ACTIVITY_KIND_KERNEL") : NULL;
 *     int c = t ? db_column(t, "globalPid") : -1;        // -1: this export has no such column
 *     printf("globalPid is column %d\n", c);
 *     if (d)
 *         db_close(d);
 *     notes_free(&say);
 *
 * Tables and columns are looked up, never assumed: exports differ between
 * versions of nsys.  A write-ahead log beside the file is read with it; a
 * half-written file is refused, and who has read one asks whether it changed meanwhile.  rows.h reads large tables;
 * db_each is for small ones.  Only one thread at a time may use a database.
 */
#pragma once

#include "base/arena.h"
#include "base/notes.h"
#include "sqlite/page.h"
#include "table/allowed.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *name;
	const char **columns;
	int ncolumns;
	int key;           /* the column that is the row id (INTEGER PRIMARY KEY), or -1 */
	uint32_t root;     /* root page of its rows; 0: only SQLite can read them */
	bool known;        /* all of this is; else only the name, until the table is asked for */
	arena texts;       /* names of columns */
} db_table;

typedef struct {           /* what tells that a file has changed */
	uint64_t device, inode;
	int64_t size, time_ns;
	int64_t change_ns;      /* when the system saw the last change (ctime), which no writer can set */
	uint32_t counter;       /* of its changes, which SQLite keeps in its header */
	int64_t log_size, log_time_ns;        /* of the write-ahead log; 0: there is none */
	bool half_written;
} db_state;

typedef struct {
	const char *path;  /* as the caller named it */
	const char *real;  /* without links */
	db_state state;    /* when it was opened */
	const char *uri;   /* as SQLite gets it */
	sqlite3 *sql;
	page_file *file;   /* the same file as pages; NULL if it cannot be read that way */
	db_table *tables;
	int ntables;
	bool wal;          /* part of it is in a write-ahead log, which only SQLite can read */
	int64_t *left;     /* what the walk that goes on may still take: db_walk */
	notes *say;        /* where problems go */
	arena texts;       /* names of tables */
} db;

/* Open a file.  NULL after a problem.  say must live as long as the database. */
db *db_open(const char *path, notes *say);

/* Is the file still as it was when it was opened?  False after a problem: what was read may be half old, half new. */
bool db_unchanged(const db *d);

/* Make its tables those of the schema `as` of another connection, under the same conditions; false if that fails. */
bool db_attach(const db *d, sqlite3 *to, const char *as, enum allowed_use use);

/* The first value that a query finds in a file, which may be half written; NULL if it finds none. */
const char *db_first(const char *path, const char *query, arena *texts);

/* Is it a complete SQLite file?  Reports no problem. */
bool db_whole(const char *path);

void db_close(db *d);

const db_table *db_table_at(const db *d, int i);

/* The table with that name, or its newest variant (NAME_V2); NULL if there is none. */
const db_table *db_find(const db *d, const char *name);

/* The index of the first column of "a|b|c" that the table has, or -1. */
int db_column(const db_table *t, const char *names);

/* The column for a query; if the table has none, another expression. */
static inline const char *db_column_or(const db_table *t, const char *name, const char *other)
{
	return db_column(t, name) >= 0 ? name : other;
}

/* db_find, but NULL as well if the table lacks one of the columns "a b c". */
const db_table *db_find_with(const db *d, const char *name, const char *columns);

/* Format a query with SQLite's printf (%w: a name inside double quotes).  Free it with sqlite3_free. */
char *db_query(const char *fmt, ...);

/* One thread at a time uses the connection, or adds to d->say; the same thread may do so again. */
void db_lock(const db *d);
void db_unlock(const db *d);

/*
 * One bound holds for every walk over the pages of a file: a b-tree whose pages point to each other, or many times to
 * the same page, has no end.  It counts the steps of SQLite's machine and the bytes of texts, and is far above what a
 * file of that size needs.  SQLite is interrupted when it is reached.
 */
void db_bound(const db *d, sqlite3 *sql);       /* the walks of another connection, to which the file is attached */
void db_walk(const db *d);      /* one begins */
bool db_walk_texts(const db *d, int64_t bytes); /* it met texts of so many bytes; false: that is too much */
bool db_walk_row(const db *d, sqlite3_stmt *s); /* the same, of those in a row */

/* Report why a walk failed, by the code of SQLite. */
void db_walk_failed(const db *d, sqlite3 *sql, int rc, const char *table);

/* How many rows a table has, as a query.  A plain count(*) is one step of SQLite's machine, which nothing ends. */
#define DB_COUNT "SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT -1)"

/* Call row for each row of a query, formatted as by db_query; false, after a problem, if the file cannot be read. */
bool db_each(const db *d, void (*row)(sqlite3_stmt *s, void *ctx), void *ctx, const char *fmt, ...);

/* Report that the file is damaged, with the reason; or, if that is what SQLite met, that there is no memory. */
void db_damaged(const db *d, const char *table, const char *reason);
