/*
 * schema - what tables there are to ask with SQL, what they hold, and what refers to what.
 *
 *     table gaps = { 0 }, answer = { 0 };
 *     gaps_answer.columns(&(gaps_params){ .mode = GAPS_EACH }, &gaps);
 *     schema s = { .own = (schema_own[]){ { "gaps", &gaps } }, .nown = 1, .trace = t->db };
 *     schema_answer(&s, "NVTX_EVENTS", &answer, say);     // NULL instead of a name: a row for each table
 *     table_free(&answer);
 *     table_free(&gaps);
 *
 * nsq's own tables come with their columns from whoever offers them.  Those of a
 * trace are called raw.NAME; without a trace, all that are described (share/schema)
 * are there, though the list leaves out those that few traces have unless they are
 * asked for; with it those that it has: one that nobody has described shows its
 * columns as they are.
 */
#pragma once

#include "base/notes.h"
#include "sqlite/database.h"
#include "table/table.h"

typedef struct {
	const char *name;
	const table *columns;   /* a table that has its columns */
} schema_own;

typedef struct {
	const schema_own *own;  /* nsq's tables */
	size_t nown;
	const db *trace;        /* NULL: without one */
	bool all;               /* without a trace: list also the tables that few traces have? */
} schema;

/* Add the rows: about the table of that name, then about each of its columns; NULL: about every table.  False
 * after a problem: there is no such table, or the trace cannot be read. */
bool schema_answer(const schema *s, const char *name, table *out, notes *say);

/* ---- the tables, each with its description: what schema_answer shows */

typedef struct {
	const char *name;
	const char *type;       /* "integer" "real" "text" "blob" */
	const char *unit;
	const char *refers;     /* "TABLE.column, TABLE.column" */
	const char *meaning;
} described_column;

typedef struct {
	const char *name;       /* without raw.; of a description it ends in * if it stands for all that begin so */
	const char *shown;      /* as SQL calls it */
	bool raw;
	bool absent;            /* described, but the trace does not have it */
	bool usual;             /* nsq's own, or one that traces of CUDA programs with NVTX have */
	int64_t rows;           /* TABLE_MISSING unless they were counted */
	const char *meaning, *query;    /* NULL: not described; the query is one to paste, {table} in it the name */
	vec(described_column) columns;  /* their references as SQL calls them */
} schema_table;

typedef struct {                /* a file of share/schema, whose first lines say how it is written */
	vec(schema_table) tables;       /* in its order */
	arena texts;
} descriptions;

typedef struct {
	vec(schema_table) v;    /* nsq's, then those of the trace in the order of their descriptions, then the rest */
	descriptions own, nsys;
	arena texts;
} schema_tables;

/* False after a problem with the trace, which goes where its problems go. */
bool schema_tables_list(const schema *s, schema_tables *out);
void schema_tables_free(schema_tables *t);

/* Count the rows of the trace's tables.  False after a problem with it. */
bool schema_tables_count(schema_tables *t, const db *trace);

/* A table by its name, with or without raw.; also one that is described but that the trace does not have.
 * NULL if there is none. */
const schema_table *schema_tables_find(schema_tables *t, const char *name);

/* The files of share/schema, compiled in, by their names without the ending. */
extern const char *const schema_builtin[];
