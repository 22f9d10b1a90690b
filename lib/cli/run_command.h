/*
 * run_command - a tool that runs a command, from its own command line to its exit code.
 *
 *     int main(int argc, char **argv)
 *     {
 *         gaps_params p = { .mode = 1 };
 *         return run_command(&tool, &p, argc, argv);
 *     }
 *
 * Its operands are the command: from the first on, nothing is an option of the tool.
 */
#ifndef RUN_COMMAND_H
#define RUN_COMMAND_H

#include "cli/options.h"

int run_command(const opt_tool *tool, void *params, int argc, char **argv);

#endif
