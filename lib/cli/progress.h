/*
 * progress - what a long run is doing, and how far it is, on a terminal.
 *
 *     progress_begin();
 *     progress_show("reading", 0, 0);            // nsq-export: reading, 3 s
 *     progress_show("writing", 42, 100);         // nsq-export: writing, 42 %, 5 s
 *     progress_end();                            // wipes it away
 *
 * Nothing is shown in the first second, with -q, or if stderr is not a terminal.  A
 * thread shows it, so that it goes on while nothing is heard of the work.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* When the work begins; not while waiting for standard input, which another program writes that shows its own. */
void progress_begin(void);

/* Call it now and then, as often as you like; threads may do so in any order, as it does not go back while `of` stays
 * the same.  With 0 of 0 only the seconds are shown, and where the span begins. */
void progress_show(const char *doing, size_t done, size_t of);

/* What is shown from now on is the part of the whole run from one share of it to another: 0.3, 0.9.  At first there is
 * no such part, and each thing that is done has percentages of its own. */
void progress_span(double from, double to);

/* Before a message is printed; it is shown again. */
void progress_wipe(void);

/* Before another program writes to the terminal, and after. */
void progress_pause(bool on);

/* Before the table is printed, or at exit. */
void progress_end(void);

/* Wipe it away in a handler of signals, before a last message. */
void progress_wipe_plainly(void);
