/*
 * run_tables - a tool that reads tables, from its command line to its exit code.
 *
 *     gaps_params p = { .mode = 1 };
 *     return run_tables(&tool, &p, argc, argv);
 *
 * Its operands are words, as many as the tool says, then tables: FILE, NAME=FILE or -,
 * and traces if it takes them; without any, standard input.
 */
#pragma once

#include "cli/options.h"

int run_tables(const opt_tool *tool, void *params, int argc, char **argv);
