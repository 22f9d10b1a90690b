/*
 * schema_tables - the tables of a schema, each with its description: what schema_answer and schema_page show.
 *
 *     schema_tables all = { 0 };
 *     if (schema_tables_list(s, &all))
 *         for (size_t i = 0; i < all.v.n; i++)
 *             printf("%s: %s\n", all.v.v[i].shown, all.v.v[i].meaning);
 *     schema_tables_free(&all);
 */
#pragma once

#include "answer/descriptions.h"
#include "answer/schema.h"

typedef struct {
	const char *name;       /* without raw. */
	const char *shown;      /* as SQL calls it */
	bool raw;
	bool absent;            /* described, but the trace does not have it */
	bool usual;             /* nsq's own, or one that traces of CUDA programs have */
	int64_t rows;           /* TABLE_MISSING unless they were counted */
	const char *meaning, *query;    /* NULL: not described */
	vec(described_column) columns;  /* their references as SQL calls them */
} schema_table;

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
