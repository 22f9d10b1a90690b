/*
 * database - a SQLite file that is only read: it is never written or locked, and no file is created beside it.
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
 * Tables and columns are looked up, never assumed, because exports differ between versions of nsys.  If a write-ahead
 * log lies beside the file, it is read with the file.  If a rollback journal lies beside the file, the file is half
 * written and is refused.  After reading, a caller can ask whether the file has changed since it was opened
 * (db_unchanged).  rows.h reads large tables; db_each is for small ones.  Several threads may look up tables and call
 * db_each at the same time.  A thread that uses the connection in another way must lock it (db_lock).
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
	int key;           /* index of the column that is the row id (INTEGER PRIMARY KEY); negative: there is none */
	uint32_t root;     /* the root page of its rows; 0: only SQLite can read them */
	bool known;        /* are all fields set?  Before db_table_at first returns the table, only its name is
			    * certain */
	arena texts;       /* holds the names of columns */
} db_table;

typedef struct {           /* what db_unchanged compares */
	uint64_t device, inode;
	int64_t size;           /* bytes */
	int64_t time_ns;        /* when the file was last modified (mtime) */
	int64_t change_ns;      /* when the system saw the last change (ctime); no writer can set it */
	uint32_t counter;       /* counts changes; SQLite keeps it in the file's header */
	int64_t log_size;       /* bytes of the write-ahead log; 0: there is none, or it is empty */
	int64_t log_time_ns;    /* when the write-ahead log was last modified; 0: log_size is 0 */
	bool half_written;      /* does a rollback journal with a header lie beside the file? */
} db_state;

typedef struct {
	const char *path;  /* the name that the caller gave */
	const char *real;  /* the path without symbolic links */
	db_state state;    /* the state of the file when it was opened */
	const char *uri;   /* the file's name for SQLite */
	sqlite3 *sql;
	page_file *file;   /* the same file as pages; NULL if its pages cannot be read directly */
	db_table *tables;
	int ntables;
	bool wal;          /* is part of the database in a write-ahead log, which only SQLite can read? */
	int64_t *steps;    /* how many steps SQLite may still take in the current walk (db_begin_walk) */
	notes *say;        /* where problems go */
	arena texts;       /* holds path, real, uri and the names of tables */
} db;

/* Open a file.  `say` must live as long as the database.  NULL after a problem. */
db *db_open(const char *path, notes *say);

/* Is the file still as it was when it was opened?  False after a problem: the file has changed, so what was read may be
 * half old and half new, or its state cannot be read. */
bool db_unchanged(const db *d);

/* Attach the file to the connection `to` as schema `as`, in such a way that it is not written or locked there either.
 * `use` is what that connection may do from then on.  False if SQLite cannot attach it. */
bool db_attach(const db *d, sqlite3 *to, const char *as, enum allowed_use use);

/* The first value that a query finds in a file, as a text in the arena.  The file may be half written.  NULL: the query
 * finds none, or fails. */
const char *db_first(const char *path, const char *query, arena *texts);

/* Is this a complete SQLite file that is not half written?  If it is not, no problem is reported. */
bool db_is_whole(const char *path);

void db_close(db *d);

/* Table i of d->tables, with its columns.  They are read on its first use: a trace has dozens of tables, and a tool
 * uses few. */
const db_table *db_table_at(const db *d, int i);

/* The table with that name; if there is none, its variant with the highest number, such as NAME_V3 before NAME_V2;
 * NULL: there is none either. */
const db_table *db_find(const db *d, const char *name);

/* The index of the first column of "a|b|c" that the table has, or -1. */
int db_column(const db_table *t, const char *names);

/* The column's name for a query; if the table lacks the column, `other`, such as "NULL". */
static inline const char *db_column_or(const db_table *t, const char *name, const char *other)
{
	return db_column(t, name) >= 0 ? name : other;
}

/* The table with that name and all of the columns "a b c"; NULL: there is none. */
const db_table *db_find_with(const db *d, const char *name, const char *columns);

/* Format a query with SQLite's printf (%w: a name inside double quotes).  Free it with sqlite3_free. */
char *db_format_query(const char *fmt, ...);

/* Give the calling thread sole use of the connection and of d->say, until it unlocks them as often as it locked
 * them. */
void db_lock(const db *d);
void db_unlock(const db *d);

/* A walk is one pass of SQLite over tables of a file, such as a query.  Every walk has a limit, except the user's
 * queries (query.h).  Without one, a walk over a damaged b-tree might never end, because its pages may point to each
 * other, or many times to the same page.  The limit counts steps of SQLite's virtual machine and bytes of texts.  It is
 * far above what a file of its size needs.  At the limit, SQLite is interrupted. */
void db_limit_walks(const db *d, sqlite3 *sql);       /* limit the walks of another connection, to which the file is
						       * attached */
void db_begin_walk(const db *d);      /* begin a walk, and with it a new count */
bool db_walk_count_texts(const db *d, int64_t bytes); /* count this many bytes of texts; false: the limit is reached */
bool db_walk_count_row(const db *d, sqlite3_stmt *s); /* count the texts of a row; false: the limit is reached */

/* Report why a walk over a table failed.  rc: what the last call of SQLite returned on the connection sql. */
void db_report_failed_walk(const db *d, sqlite3 *sql, int rc, const char *table);

/* A query for the number of rows of a table.  A plain count(*) is a single step of SQLite's machine, which cannot be
 * interrupted. */
#define DB_COUNT "SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT -1)"

/* Call `row` for each row of a query, formatted as by db_format_query.  False after a problem: the file cannot be
 * read. */
bool db_each(const db *d, void (*row)(sqlite3_stmt *s, void *ctx), void *ctx, const char *fmt, ...);

/* Report that the file is damaged, with the reason.  If SQLite ran out of memory, the program ends with that message
 * instead. */
void db_report_damage(const db *d, const char *table, const char *reason);
