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
