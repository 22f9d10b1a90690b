/*
 * unit - many small cases in one program, which prints a line of TAP for each.
 *
 *     CASE(touching_intervals_become_one)
 *     {
 *         ival_set s = { 0 };
 *         ival_add(&s, 10, 20);
 *         ival_add(&s, 20, 30);
 *         EQ(1, s.n);
 *         ival_free(&s);
 *     }
 *
 * A case goes on after a comparison that fails, and says where that was.
 */
#pragma once

#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

#define CASE(name) \
	static void name(void); \
	__attribute__((constructor)) static void name##_is_known(void) { unit_add(__FILE__, #name, name); } \
	static void name(void)

#define EQ(expected, actual) unit_eq(__FILE__, __LINE__, #actual, (int64_t)(expected), (int64_t)(actual))
#define EQ_TEXT(expected, actual) unit_eq_text(__FILE__, __LINE__, #actual, (expected), (actual))
#define YES(condition) unit_eq(__FILE__, __LINE__, #condition, 1, (condition) ? 1 : 0)
#define NO(condition) unit_eq(__FILE__, __LINE__, #condition, 0, (condition) ? 1 : 0)

void unit_add(const char *file, const char *name, void (*f)(void));
void unit_eq(const char *file, int line, const char *what, int64_t expected, int64_t actual);
void unit_eq_text(const char *file, int line, const char *what, const char *expected, const char *actual);

/* Make a trace of some lines, whose form tests/dependencies/chain.awk describes, and load all of it.  The case frees
 * it with trace_free. */
trace *unit_trace(const char *lines);
