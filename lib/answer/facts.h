/*
 * facts - what a trace says about itself, as rows of key and value (nsq-setup --facts), and how it was captured: the
 * version of nsys, what was traced, and the options.
 *
 *     table answer = { 0 };
 *     facts_columns(&answer);
 *     facts_rows(t, &answer);
 *     table_free(&answer);
 */
#pragma once

#include "table/table.h"
#include "trace/trace.h"

void facts_columns(table *out);

/* Add the facts of a loaded trace; false after a problem. */
bool facts_rows(trace *t, table *out);

enum { CAPTURE_SETTINGS = 12 };

typedef struct {
	const char *value[CAPTURE_SETTINGS];    /* NULL: the trace does not say */
	bool stated;            /* does the trace state what was traced?  Otherwise that is inferred from its events */
	arena texts;
} capture;

/* Read the settings of a trace whose work is loaded; false after a problem. */
bool capture_read(capture *to, const trace *t);
void capture_free(capture *c);

/* The settings that are known of both captures and differ, with both values; NULL: there are none.  The text belongs to
 * `a`.  The version of the schema is not compared, nor is what was traced if only one trace states it. */
const char *capture_difference(capture *a, const capture *b);
