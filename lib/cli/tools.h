/*
 * tools - every tool of this program, and the run of one from its command line to its exit code.
 *
 *     for (const opt_tool *const *t = tools_builtin; *t; t++)
 *         printf("%s: %s\n", (*t)->name, (*t)->question);
 *     return tools_run(tools_find("gaps"), argc, argv);
 */
#pragma once

#include "cli/options.h"

/* In the order in which people ask; ended by NULL.  The build makes the list of tools/nsq-*.c. */
extern const opt_tool *const tools_builtin[];

/* By its name, with or without nsq-; NULL: there is none. */
const opt_tool *tools_find(const char *name);

/* Its name without nsq-. */
const char *tools_short(const char *name);

int tools_run(const opt_tool *tool, int argc, char **argv);
