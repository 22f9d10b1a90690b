/*
 * window_table - reads the windows that a user gives: specifications and tables.
 *
 *     window_asks asks = { 0 };
 *     if (window_table_spec("230ms..280ms", &asks, say))
 *         printf("%lld\n", (long long)asks.v[0].a);       // 230000000
 *     window_asks_free(&asks);
 *
 * A table is TSV or CSV with the columns start_ns and end_ns, which are found by name; a TSV without a header line is
 * taken for an nsq table that lost it to grep, sort or head.  Mistakes in them are problems with EXIT_WRONG.
 */
#pragma once

#include "base/notes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	bool has_a, has_b;      /* a missing end is that of the default window */
	int64_t a, b;           /* GPU side */
	bool has_cpu;
	int64_t cpu_a, cpu_b;   /* CPU side, if the table or the name has one */
	int64_t pid, sub;       /* pid -1: all processes; sub -1: any with this pid */
	int64_t device;         /* -1: all GPUs */
	const char *window;     /* name for rows about this window, or NULL */
	const char *each_name;  /* the same without the CPU side */
	const char *step;       /* NAME, if the name is NAME#INDEX, as nsq-window writes it of a step, or NULL; */
	int64_t number;         /* and the number of that step: of the table, else INDEX */
	const char *trace;      /* NULL: all those on the command line */
	const char *shown;      /* what messages call it */
	bool row;               /* a row of a table, not a specification */
} window_ask;

typedef struct {
	window_ask *v;
	size_t n, room;
	arena texts;
} window_asks;

/* Read A..B, in nanoseconds or with a unit; that of one end applies to both.  False if it is something else. */
bool window_table_times(const char *spec, window_ask *to);

/* Read A..B, or the table in a file of that name. */
bool window_table_spec(const char *spec, window_asks *to, notes *say);

/* Read a table; name is what messages call it. */
bool window_table_read(FILE *f, const char *name, window_asks *to, notes *say);

/* Keep the first of rows that ask the same; how many went.  Rows of an aggregate all cite one window. */
size_t window_asks_once(window_asks *asks);

void window_asks_free(window_asks *asks);

/* How long a window's name is without its CPU side, the @A..B behind its index. */
size_t window_table_proper(const char *name);
