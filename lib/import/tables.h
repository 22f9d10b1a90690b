/*
 * tables - writes an SQLite file with the tables of nsys, row by row.
 *
 *     notes say = { 0 };
 *     tables *t = tables_begin("run.sqlite", &say);
 *     tables_add(t, TABLES_PROCESSES, (int64_t[]){ 0x1000003000000, 3 }, 2, "python3");
 *     if (!tables_end(t, true))
 *         puts("say has the reason");
 *     notes_free(&say);
 *
 * The schema is that of nsys 2025.  Rows may be added in any order; in the file, the rows of each table with a column
 * start are sorted by it.  After a failure nothing more is written, and tables_end returns false.
 */
#pragma once

#include "base/notes.h"

#include <stddef.h>
#include <stdint.h>

#define TABLES_NULL INT64_MIN   /* an unknown number, written as NULL */

enum tables_table {
	TABLES_KERNELS,
	TABLES_COPIES,
	TABLES_SETS,
	TABLES_CALLS,
	TABLES_SYNCS,
	TABLES_RECORDS,         /* records of CUDA events */
	TABLES_NVTX,
	TABLES_PROCESSES,
	TABLES_THREADS,
	TABLES_GPUS,
	TABLES_DEVICES,
	TABLES_SESSION,
	TABLES_DETAILS,         /* how long the capture took */
	TABLES_DIAGNOSTICS,
	TABLES_STRINGS,
	TABLES_ALL
};

typedef struct tables tables;

/* Begin a file, which must not exist yet.  Never NULL; tables_ok says whether this failed. */
tables *tables_begin(const char *path, notes *say);

/* Add a row: n numbers and, if the last column to fill is a text, this text or NULL.  tables.c lists the columns to
 * fill (layouts.filled). */
void tables_add(tables *t, enum tables_table to, const int64_t *number, size_t n, const char *text);

/* The id of a string of n bytes.  A new string is added to StringIds. */
int64_t tables_add_string(tables *t, const char *text, size_t n);

/* Add a row to META_DATA_EXPORT, the table that says what the file was made from. */
void tables_add_fact(tables *t, const char *name, const char *value);

/* False: something could not be written. */
bool tables_ok(const tables *t);

/* Close the file. keep: complete it first; otherwise its rows are lost.  False after a problem, also an earlier one. */
bool tables_end(tables *t, bool keep);
