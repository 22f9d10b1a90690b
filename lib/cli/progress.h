/*
 * progress - how far a long run is, on a terminal.
 *
 *     progress_show("run.sqlite", 42, 100);      // nsq-export: run.sqlite 42 %
 *     progress_end();                            // wipes it away
 *
 * Nothing is shown in the first two seconds, with -q, or if stderr is not a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stddef.h>

/* Call it now and then, as often as you like. */
void progress_show(const char *doing, size_t done, size_t of);

/* Before anything else is printed. */
void progress_end(void);

#endif
