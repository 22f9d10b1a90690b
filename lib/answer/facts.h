/*
 * facts - what a trace says about itself, as key and value: nsq-setup --facts.
 *
 *     table answer = { 0 };
 *     facts_columns(&answer);
 *     facts_rows(t, false, &answer);
 *     table_free(&answer);
 */
#pragma once

#include "table/table.h"
#include "trace/trace.h"

void facts_columns(table *out);

/* Add the facts of a loaded trace; false after a problem.  all: also the tables that only list an
 * enumeration (ENUM_*). */
bool facts_rows(trace *t, bool all, table *out);
