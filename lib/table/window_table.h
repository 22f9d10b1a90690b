/*
 * window_table - reads the windows that a user gives: specifications and tables.
 *
 *     window_asks asks = { 0 };
 *     if (window_table_spec("230ms..280ms", &asks, say))
 *         printf("%lld\n", (long long)asks.v[0].a);       // 230000000
 *     window_asks_free(&asks);
 *
 * A table is TSV or CSV with the columns start_ns and end_ns, found by name;
 * a TSV without a header line is an nsq table that was cut by grep, sort or
 * head.  Mistakes are problems with EXIT_WRONG.
 */
#ifndef WINDOW_TABLE_H
#define WINDOW_TABLE_H

#include "base/memory.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	bool has_a, has_b;      /* a missing end is that end of the default window */
	int64_t a, b;           /* GPU side */
	bool has_cpu;
	int64_t cpu_a, cpu_b;   /* CPU side, where the table has it or the name holds it */
	int64_t pid, sub;       /* pid -1: all; sub -1: the pid says enough */
	int64_t device;         /* -1: all GPUs */
	const char *window;     /* name for rows about this window, or NULL */
	const char *each_name;  /* the same without the CPU side */
	const char *trace;      /* NULL: those on the command line */
	const char *shown;      /* how to call it in messages */
	bool row;               /* a row of a table, not a specification */
} window_ask;

typedef struct {
	window_ask *v;
	size_t n, room;
	arena texts;
} window_asks;

/* A..B, or the name of a file that holds a table. */
bool window_table_spec(const char *spec, window_asks *to, notes *say);

/* A table; name is how to call it in messages. */
bool window_table_read(FILE *f, const char *name, window_asks *to, notes *say);

void window_asks_free(window_asks *asks);

#endif
