/*
 * sql - the rows of a SELECT over tables, and over traces with nsq's own definitions.
 *
 *     inputs in = { .traces = &(input_trace){ "run.sqlite", "run.sqlite" }, .ntraces = 1, .threads = 2 };
 *     table answer = { 0 };
 *     sql_answer(&in, "SELECT name, count(*) FROM kernels GROUP BY 1", &(sql_how){ 0 }, &answer, say);
 *     table_free(&answer);
 *
 * A trace gives the tables of sql_trace_tables, with the rows of all traces; each is
 * loaded when a query reads it.  A single trace also gives its own tables, as raw.NAME.
 */
#ifndef SQL_H
#define SQL_H

#include "answer/inputs.h"
#include "answer/question.h"

typedef struct {
	const table *columns;           /* those that the table declares, */
	const bool *used;               /* and which of them a query reads */
	bool captured;                  /* ranges around the capture of a CUDA graph also contain what its replays ran */
	void **kept;                    /* what a table that is about all traces keeps until it is finished */
} sql_uses;

/* A table that traces give: an answer whose rows are its rows.  share/schema/nsq.tsv describes it. */
typedef struct {
	const char *name;
	void (*columns)(table *out);
	question (*ask)(const sql_uses *uses);
	bool (*answer)(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say);
	bool (*finish)(const sql_uses *uses, table *out, notes *say);   /* once, after all traces; or NULL */
} sql_trace_table;

extern const sql_trace_table sql_trace_tables[];        /* ended by one without a name */

typedef struct {
	bool captured;                  /* see sql_uses */
	int64_t max_rows;               /* more are a problem; 0: any number */
	void (*loading)(bool on);       /* called before and after traces are loaded, or NULL */
} sql_how;

/* False after a problem. */
bool sql_answer(const inputs *in, const char *query, const sql_how *how, table *out, notes *say);

#endif
