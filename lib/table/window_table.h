/*
 * wintab - reads windows that the user gives: specifications and tables.
 *
 *     vec(win_ask) asks = { 0 };
 *     wintab_spec("230ms..280ms", &asks);        // or a file's name, or "-"
 *     wintab_read(stdin, "standard input", &asks);
 *
 * A table is TSV or CSV with the columns start_ns and end_ns, found by name;
 * a TSV without a header line is an nsq table that was cut by grep, sort or
 * head.  Mistakes exit with EXIT_WRONG.
 */
#ifndef WINTAB_H
#define WINTAB_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	bool has_a, has_b;      /* a missing end is that end of the default window */
	int64_t a, b;           /* GPU side */
	bool has_cpu;
	int64_t cpu_a, cpu_b;   /* CPU side, where the table has it */
	int64_t pid;            /* -1: all */
	const char *window;     /* name to copy to the rows, or NULL */
	const char *trace;      /* NULL: those on the command line */
	const char *shown;      /* how to call it in messages */
	bool row;               /* a row of a table, not a specification */
} win_ask;

typedef vec(win_ask) win_asks;

void wintab_spec(const char *spec, win_asks *to);
void wintab_read(FILE *f, const char *name, win_asks *to);

#endif
