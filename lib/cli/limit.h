/*
 * limit - limits on the time that what users wrote may take.
 *
 *     limit_begin("regular expression", "(a*)*$");
 *     limit_end();
 *     limit_query("query", LIMIT_QUERY_NS);
 *     limit_pause(true);                         // while a trace is loaded, which is not the query's fault
 *     limit_pause(false);
 *     limit_end();
 *
 * glibc takes exponential time to compile some short expressions of anchors and parts
 * that may be empty, SQLite to match some patterns, and neither can be interrupted: the
 * program says so and ends, after two seconds of CPU time with EXIT_WRONG, after the time
 * of a query with EXIT_FAILED.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LIMIT_QUERY_NS 60000000000      /* unless --timeout says otherwise */

/* what and text are for the message. */
void limit_begin(const char *what, const char *text);

/* what is for the message, which names the option --timeout.  A time of 0 is no limit; one too short is a mistake. */
void limit_query(const char *what, int64_t ns);
void limit_pause(bool on);

void limit_end(void);
