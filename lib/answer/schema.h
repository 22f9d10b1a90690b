/*
 * schema - describes the tables that can be queried with SQL, their columns, and which column refers to which.
 *
 *     table gaps = { 0 }, answer = { 0 };
 *     gaps_answer.columns(&(gaps_params){ .mode = GAPS_EACH }, &gaps);
 *     schema s = { .own = (schema_own[]){ { "gaps", &gaps } }, .nown = 1, .trace = t->db };
 *     schema_answer(&s, "NVTX_EVENTS", &answer, say);     // NULL instead of a name: a row for each table
 *     table_free(&answer);
 *     table_free(&gaps);
 *
 * The caller passes nsq's own tables with their columns.  The tables of a trace are called raw.NAME:
 *
 * - with a trace, they are the tables of the trace; if share/schema does not describe one, only its columns are shown;
 * - without a trace, they are all tables that share/schema describes; a list of all tables leaves out those that few
 *   traces have, unless schema.all is set.
 */
#pragma once

#include "base/notes.h"
#include "sqlite/database.h"
#include "table/table.h"

typedef struct {
	const char *name;
	const table *columns;   /* a table without rows */
} schema_own;

typedef struct {
	const schema_own *own;  /* nsq's own tables */
	size_t nown;
	const db *trace;        /* the trace whose tables are described; NULL: there is none */
	bool all;               /* without a trace: also list the tables that few traces have */
} schema;

/* Add a row about the table with this name, and a row about each of its columns.  "*": do so for every table.  NULL:
 * add a row about every table, and none about columns.  False after a problem: there is no such table, or the trace
 * cannot be read. */
bool schema_answer(const schema *s, const char *name, table *out, notes *say);

/* ---- the tables and their descriptions, from which schema_answer makes its rows */

typedef struct {
	const char *name;
	const char *type;       /* "integer" "real" "text" "blob" */
	const char *unit;
	const char *refers;     /* the columns that hold the same id: "TABLE.column, TABLE.column"; or NULL */
	const char *meaning;
} described_column;

typedef struct {
	const char *name;       /* without the prefix raw.  In a description, a name that ends in * stands for all
				 * tables whose names begin with what is before it */
	const char *shown;      /* the name in SQL, with the prefix raw. for a table of nsys */
	bool raw;               /* a table of nsys, not of nsq */
	bool absent;            /* described, but not in the trace */
	bool usual;             /* nsq's own, or usual in traces of CUDA programs with NVTX */
	int64_t rows;           /* TABLE_MISSING unless they were counted */
	const char *meaning;    /* NULL: it is not described */
	const char *query;      /* an example to paste, or NULL; in a description, {table} stands for the name */
	vec(described_column) columns;  /* `refers` names tables as SQL does; but a description of a table of nsys omits
					 * the prefix raw. */
} schema_table;

typedef struct {                /* a file of share/schema; its first lines explain the format */
	vec(schema_table) tables;       /* in the order of the file */
	arena texts;
} descriptions;

typedef struct {
	vec(schema_table) v;    /* nsq's tables, then nsys's.  With a trace: those in the trace, in the order of their
				 * descriptions, then those without one.  Without a trace: all that are described */
	descriptions own;       /* of nsq's tables */
	descriptions nsys;      /* of nsys's tables; the first is *, for columns that mean the same in many tables */
	arena texts;
} schema_tables;

/* List all tables.  False after a problem with the trace, which is added to s->trace->say. */
bool schema_tables_list(const schema *s, schema_tables *out);
void schema_tables_free(schema_tables *t);

/* Count the rows of the trace's tables; trace NULL: count nothing.  False after a problem with the trace. */
bool schema_tables_count_rows(schema_tables *t, const db *trace);

/* The table with this name, whose prefix raw. may be missing; NULL: there is none.  If the table is described but not
 * in the trace, this adds it to t->v, whose elements may then move. */
const schema_table *schema_tables_find(schema_tables *t, const char *name);

/* The files of share/schema, compiled in: name without ending, text, name, text, ..., NULL. */
extern const char *const schema_builtin[];
