/*
 * output - how every run of a tool begins and ends: its options, then the table on stdout.
 *
 *     format_writer w;
 *     opt_common options = output_begin(&tool, params, argc, argv, &w);
 *     ... options.operands ...
 *     output_end(&w, &(table){ 0 });
 */
#pragma once

#include "cli/options.h"

/* Parse the command line and choose the format.  Exits after a mistake, --help and --version. */
opt_common output_begin(const opt_tool *tool, void *params, int argc, char **argv, format_writer *w);

/* What writes the table, in the format asked for and as wide as a terminal; exits if they do not fit -H. */
format_writer output_writer(const opt_common *c);

/* --columns: write what the columns of a table are instead of its rows. */
void output_columns(format_writer *w, const table *columns);

/* Write what is left, and say how many rows -n left out. */
void output_end(format_writer *w, const table *t);
