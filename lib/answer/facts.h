/*
 * facts - what a trace says about itself, as rows of key and value (nsq-setup --facts).  capture_read reads how the
 * trace was captured: the version of nsys, what was traced, and the options.
 *
 *     table answer = { 0 };
 *     facts_columns(&answer);
 *     facts_add_rows(t, &answer);
 *     table_free(&answer);
 */
#pragma once

#include "table/table.h"
#include "trace/trace.h"

void facts_columns(table *out);

/* Add the facts of a loaded trace; false after a problem. */
bool facts_add_rows(trace *t, table *out);

enum { CAPTURE_SETTINGS = 12 };

typedef struct {
	const char *value[CAPTURE_SETTINGS];    /* in the order of `settings` in facts.c; NULL: the trace does not
						 * say */
	bool stated;            /* the trace states what was traced; false: that is inferred from its events */
	arena texts;
} capture;

/* Read the settings of a trace whose work is loaded; false after a problem. */
bool capture_read(capture *to, const trace *t);
void capture_free(capture *c);

/* A text with the settings that are known of both captures and differ, and their values; NULL: there are none.  The
 * text belongs to `a`.  The version of the schema is not compared.  What was traced is not compared if only one trace
 * states it. */
const char *capture_difference(capture *a, const capture *b);
