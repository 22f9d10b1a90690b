/*
 * capture - how a trace was captured: by which nsys, what was traced, with which options.
 *
 *     capture a = { 0 }, b = { 0 };
 *     if (capture_read(&a, t) && capture_read(&b, after) && capture_difference(&a, &b))
 *         puts(capture_difference(&a, &b));      // nsys.version 2023.4.4 and 2025.5.1, capture.graphs Graph and Node
 *     capture_free(&a);
 *     capture_free(&b);
 */
#pragma once

#include "trace/trace.h"

enum { CAPTURE_SETTINGS = 12 };

typedef struct {
	const char *value[CAPTURE_SETTINGS];    /* NULL: the trace does not say */
	bool stated;            /* does the trace state its options, or were they seen from its events? */
	arena texts;
} capture;

/* Of a trace whose work is loaded; false after a problem. */
bool capture_read(capture *to, const trace *t);
void capture_free(capture *c);

/* The name of a setting among the facts of nsq-setup. */
const char *capture_key(size_t setting);

/* The settings that differ, with the values of both, in a's memory; NULL: none that is known of both does. */
const char *capture_difference(capture *a, const capture *b);
