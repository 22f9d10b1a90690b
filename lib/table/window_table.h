/*
 * window_table - reads the windows that a user gives, as A..B or as tables.
 *
 *     window_asks asks = { 0 };
 *     if (window_table_spec("230ms..280ms", &asks, say))
 *         printf("%lld\n", (long long)asks.v[0].a);       // 230000000
 *     window_asks_free(&asks);
 *
 * A table is TSV or CSV with the columns start_ns and end_ns, which are found by name.  A TSV without a header line is
 * taken for a table of nsq that lost its header to grep, sort or tail.  Mistakes are problems with EXIT_WRONG.
 *
 * A window has a GPU side, the time that selects GPU work, and a CPU side, the time that selects calls and ranges
 * (timeline/window.h).  A..B gives both at once.  A table may give the CPU side in columns of its own, or in the
 * window's name, as @A..B at its end.
 */
#pragma once

#include "base/notes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	bool has_a, has_b;      /* are the start a and the end b of the GPU side given?  If one is not, window_resolve
				 * takes that of its default window */
	int64_t a, b;           /* GPU side, in nanoseconds */
	bool has_cpu;           /* does the table or the window's name have a CPU side? */
	int64_t cpu_a, cpu_b;   /* CPU side, in nanoseconds, if there is one */
	int64_t pid, sub;       /* pid -1: all processes; sub -1: all with this pid */
	int64_t device;         /* -1: all GPUs */
	const char *window;     /* name to show in rows about this window, or NULL */
	const char *each_name;  /* `window` without its CPU side, for rows that are windows themselves (--each) */
	const char *step;       /* NAME if each_name is NAME#INDEX, as nsq-window writes it for steps, and the row's
				 * column `rule` says neither tile nor process; otherwise NULL */
	int64_t number;         /* number of that step: from the table or, if that has none, INDEX */
	const char *trace;      /* path of the trace in which the window is; NULL: all traces of the command line */
	const char *shown;      /* what messages call it: 'A..B', or the table's name and the row's line */
	bool row;               /* is it a row of a table, and not A..B? */
} window_ask;

typedef struct {
	window_ask *v;
	size_t n, room;
	arena texts;
} window_asks;

/* Read A..B, in nanoseconds or with units; a unit given at only one end applies to both.  False: the text is something
 * else. */
bool window_table_read_interval(const char *spec, window_ask *ask);

/* Add the window A..B, or the windows of the table in the file with the name `spec`.  False after a problem. */
bool window_table_spec(const char *spec, window_asks *asks, notes *say);

/* Add the windows of a table.  `name` is its name in messages.  False after a problem. */
bool window_table_read(FILE *f, const char *name, window_asks *asks, notes *say);

/* Remove rows of tables that ask for the same window as an earlier row.  A table with a row for each
 * window and name has several rows for one window.  Returns how many were removed. */
size_t window_asks_remove_repeats(window_asks *asks);

void window_asks_free(window_asks *asks);

/* The length of a window's name without its CPU side, which is the @A..B after its index. */
size_t window_table_length_without_cpu(const char *name);
