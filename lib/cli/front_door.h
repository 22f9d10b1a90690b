/*
 * front_door - the commands of nsq itself: what it lists, and the tools it runs.
 *
 *     front_door_help(0, NULL);                  // the tools and commands
 *     front_door_run("setup", 2, (char *[]){ "setup", "run.sqlite", NULL });
 */
#pragma once

/* nsq help [TOOL|conventions|skill|recipes]. */
void front_door_help(int argc, char **argv);

/* Run a tool with these arguments, of which the first is not looked at; returns its exit code. */
int front_door_run(const char *name, int argc, char **argv);

/* nsq --version. */
void front_door_version(void);

/* Flush the output; returns the exit code. */
int front_door_end(void);
