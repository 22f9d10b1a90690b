/*
 * sql - runs a SELECT over tables and traces.  The tables that a trace gives hold the rows of nsq's answers.
 *
 *     inputs in = { .traces = &(input_trace){ "run.sqlite", "run.sqlite" }, .ntraces = 1, .threads = 1 };
 *     table answer = { 0 };
 *     sql_answer(&in, "SELECT name, count(*) FROM kernels GROUP BY 1", &(sql_how){ 0 }, &answer, say);
 *     table_free(&answer);
 *
 * Traces give the tables of sql_trace_tables, each with the rows of all traces.  When a query first reads one of these
 * tables, all of them that the query names are loaded.  A single trace also gives its own tables, as raw.NAME.
 */
#pragma once

#include "answer/inputs.h"
#include "answer/question.h"

typedef struct {                        /* what a query uses of a table; given to sql_trace_table.begin */
	const table *columns;           /* the columns that the table declares */
	const bool *used;               /* by column: does the query read it? */
	void **kept;                    /* what `begin` allocates for the parameters; freed by `end` after the query */
} sql_uses;

/* A table that traces give: it has the rows of an answer. share/schema/nsq.tsv describes it. */
typedef struct {
	const char *name;
	const answer *answer;
	const void *params;
	size_t size;                    /* size of the parameters in bytes */
	size_t captured;                /* the offset of `captured` in the parameters; 0: they have no such member */
	/* Completes a copy of the parameters for a query; false after a problem.  NULL: the copy is complete. */
	bool (*begin)(void *params, const sql_uses *uses, notes *say);
	/* Frees what `begin` stored in *uses->kept.  NULL if `begin` stores nothing there. */
	void (*end)(void *kept);
} sql_trace_table;

extern const sql_trace_table sql_trace_tables[];        /* the last one has no name */

typedef struct {
	bool captured;                  /* ranges around the capture of a CUDA graph also contain what its replays
					 * ran */
	int64_t max_rows;               /* the most rows of the result; more are a problem; 0: any number */
	void (*loading)(bool on);       /* called with true before traces are loaded, and with false afterwards; or
					 * NULL */
} sql_how;

/* Run the query and add its rows; false after a problem. */
bool sql_answer(const inputs *in, const char *query, const sql_how *how, table *out, notes *say);

/* Describe the tables of nsq-sql (schema_answer).  name: the table to describe with its columns; "*": all tables with
 * their columns; NULL: all tables, without columns.  all: include tables that few traces have.  False after a
 * problem. */
bool sql_schema(const inputs *in, const char *name, bool all, table *out, notes *say);
