/*
 * run - a tool that reads traces, from its command line to its exit code: options, traces, windows, one answer, one
 * table.
 *
 *     gaps_params p = { .mode = GAPS_SUMS };
 *     return run_traces(&tool, &p, argc, argv);
 *
 * A trace that cannot be read or cannot answer is reported and skipped; the exit code
 * is the largest that occurred.
 */
#pragma once

#include "cli/options.h"

int run_traces(const opt_tool *tool, void *params, int argc, char **argv);
