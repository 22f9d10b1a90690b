/*
 * inputs - the arguments of a tool that reads tables: first words, such as a query, then tables and traces.
 *
 *     inputs in = { 0 };
 *     for (size_t i = 0; i < in.ntables; i++)
 *         printf("%s has %zu rows\n", in.tables[i].name, table_rows(&in.tables[i].table.rows));
 */
#pragma once

#include "base/parallel.h"
#include "table/read_table.h"

typedef struct {
	const char *name;       /* the name of the table in a query: t, t2, ... or NAME if it was given as NAME=FILE */
	read_table table;
} input_table;

typedef struct {
	const char *path;       /* as the user named it */
	const char *file;       /* the SQLite file of the trace */
} input_trace;

typedef struct {
	const char *const *words;       /* the leading words, such as the query of nsq-sql: opt_tool.words of them; in
					 * the modes of opt_tool.bare (options.h), which take no tables, a single one,
					 * which may be NULL */
	input_table *tables;    size_t ntables, table_room;
	input_trace *traces;    size_t ntraces, trace_room;
	int threads;            /* how many threads may work at the same time */
} inputs;
