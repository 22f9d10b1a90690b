/*
 * help - what --help prints: the options, then the columns of every mode.
 *
 *     help_print(tool, params);
 *
 * It is made from what parses and what prints, so it cannot differ from them.
 */
#ifndef HELP_H
#define HELP_H

#include "cli/options.h"

/* Changes the mode in the parameters. */
void help_print(const opt_tool *tool, void *params);

#endif
