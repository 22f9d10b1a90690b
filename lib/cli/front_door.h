/*
 * front_door - the commands of nsq itself: what it lists, and the tools it runs.
 *
 *     front_door_help(0, NULL);                  // the tools and commands
 *     front_door_run("setup", (char *[]){ "nsq", "run.sqlite", NULL });  // does not return
 */
#ifndef FRONT_DOOR_H
#define FRONT_DOOR_H

/* nsq help [TOOL|conventions|skill|recipes]. */
void front_door_help(int argc, char **argv);

/* Run a tool with these arguments; it replaces this program. */
_Noreturn void front_door_run(const char *name, char **argv);

/* nsq --version. */
void front_door_version(void);

/* Flush the output; returns the exit code. */
int front_door_end(void);

#endif
