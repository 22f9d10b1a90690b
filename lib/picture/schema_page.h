/*
 * schema_page - the tables that there are to ask with SQL: as rows, or all of them as a page of HTML.
 *
 *     schema s = { .trace = t->db };
 *     schema_page(&s, stdout);
 */
#pragma once

#include "answer/inputs.h"
#include "answer/schema.h"

/* Write a page about all tables.  False after a problem with the trace; of a failed write, ferror tells. */
bool schema_page(const schema *s, FILE *to);

typedef struct {
	const char *table;              /* NULL: all */
	const char *page;               /* NULL: none */
	bool replace;                   /* may the page be there already? */
	bool all;                       /* without a trace: list also the tables that few traces have? */
} schema_about;

/* What tables nsq-sql has: all, or the columns of one; with a page, nothing but that file is written.  False after a
 * problem. */
bool schema_show(const inputs *in, const schema_about *about, table *out, notes *say);
