/*
 * help - what --help prints, made from what parses and what prints: the options, then the columns of
 * every mode.
 */
#ifndef HELP_H
#define HELP_H

#include "cli/options.h"

void help_print(const opt_tool *tool, const opt *common);

#endif
