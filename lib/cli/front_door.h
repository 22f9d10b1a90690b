/*
 * front_door - the commands of nsq itself: its help and lists, and the tools, recipes and the server that it runs.
 *
 *     front_door_help(0, NULL);                  // the tools and commands
 *     front_door_run("setup", 2, (char *[]){ "setup", "run.sqlite", NULL });
 *     recipes_main(1, (char *[]){ "worst-stage", NULL });        // shows the recipe
 */
#pragma once

#include <stdbool.h>

/* nsq help [TOPIC...], where argv[0] is the first TOPIC.  nsq help topics lists the topics. */
void front_door_help(int argc, char **argv);

/* Run a tool with these arguments (argv[0] is ignored); returns its exit code. */
int front_door_run(const char *name, int argc, char **argv);

/* nsq --version. */
void front_door_version(void);

/* nsq demo [FILE], where argv[0] is FILE: writes a trace to play with (demo.c). */
void demo_main(int argc, char **argv);

/* Flush the output; returns the exit code. */
int front_door_flush_output(void);

/* ---- recipes */

/* Print the name and question of each recipe. */
void recipes_list(void);

/* Print how to use recipes. */
void recipes_help(void);

bool recipes_has(const char *name);

/* nsq recipe --words NAME TAKES ARGUMENT...: print the arguments of a recipe (argv[0] is ignored) as arrays for bash.
 * TAKES says which options the recipe takes and to which of its tools they go; each group of tools has an array
 * (recipe_options.c).  Exits if an argument is wrong. */
void recipes_print_argument_arrays(const char *recipe, const char *takes, int argc, char **argv);

/* nsq recipe NAME [options] [TRACE...], where argv[0] is NAME: shows a recipe, or runs it.  Does not return after a
 * run, nor after --new, --accept and --check. */
void recipes_main(int argc, char **argv);

/* nsq mcp DIR...: a server of the Model Context Protocol on standard input and output, for agents without a shell. */
int mcp_main(int argc, char **argv);
