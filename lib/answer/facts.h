/*
 * facts - what a trace says about itself, as key and value: nsq-setup --facts.
 */
#ifndef FACTS_H
#define FACTS_H

#include "table/table.h"
#include "trace/trace.h"

void facts_columns(table *t);

/* Print the facts of a loaded trace. */
void facts_rows(trace *t, table *out);

#endif
