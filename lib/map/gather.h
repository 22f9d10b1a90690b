/*
 * gather - puts the tables of many traces together under one header, and lists what failed.
 *
 *     gather g = { .to = &writer };
 *     gather_result(&g, &all.v[0], &say);        // the next in the order of the traces
 *     gather_failures(&g, &say);
 *     gather_free(&g);
 *
 * The columns are those of the first table.  A table with other columns, or what is none, is not printed, but listed
 * with what failed.  One without a column `trace` gets it.
 */
#pragma once

#include "base/text.h"
#include "map/results.h"
#include "table/format.h"

typedef struct {
	size_t n;
	const char *first;
} gather_count;                         /* of traces */

typedef struct {
	format_writer *to;
	table columns;                  /* of the first table */
	const char *first;              /* its trace; NULL: none yet */
	int reason;                     /* errno, if rows could not be written */
	size_t failed;                  /* traces that did */
	gather_count empty, rowless;    /* of which nothing was printed, or nothing but a header */
	vec(note) failures;             /* by trace */
	arena texts;
} gather;

/* Print its table, and pass on what it said. */
void gather_result(gather *g, const result *r, notes *say);

/* It was not done. */
void gather_lost(gather *g, const result *r);

/* List what failed, each with its exit code. */
void gather_failures(gather *g, notes *say);

void gather_free(gather *g);
