/*
 * facts - what a trace says about itself, as key and value: nsq-setup --facts.
 *
 *     table answer = { 0 };
 *     facts_columns(&answer);
 *     facts_rows(t, &answer);
 *     table_free(&answer);
 */
#ifndef FACTS_H
#define FACTS_H

#include "table/table.h"
#include "trace/trace.h"

void facts_columns(table *out);

/* Add the facts of a loaded trace; false after a problem. */
bool facts_rows(const trace *t, table *out);

#endif
