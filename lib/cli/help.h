/*
 * help - what --help prints: the options, then the columns of every mode.
 *
 *     help_print(tool, params);
 *
 * It is made from the tables that parsing and printing use, so it cannot contradict them.
 */
#pragma once

#include "cli/options.h"

/* Changes the mode in the parameters. */
void help_print(const opt_tool *tool, void *params);
