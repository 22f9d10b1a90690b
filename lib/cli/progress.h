/*
 * progress - a line on a terminal that says what a long run is doing, and how far it is.
 *
 *     progress_begin();
 *     progress_show("reading", 0, 0);            // nsq-export: reading, 3 s
 *     progress_show("writing", 42, 100);         // nsq-export: writing, 42 %, 5 s
 *     progress_end();                            // wipes it away
 *
 * Nothing is shown in the first second, with -q, or if stderr is not a terminal.  A thread shows the line, so that the
 * seconds go on between two calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Call this when the work begins.  Standard input must have been read, because its writer may show progress too. */
void progress_begin(void);

/* Show what is being done, from any thread and as often as you like.  The percentage never decreases while `total`
 * stays the same.  0 of 0: no percentage is shown or, after progress_span, the percentage at which the span begins. */
void progress_show(const char *doing, size_t done, size_t total);

/* The following work is this span of the whole run, such as 0.3 to 0.9; percentages are of the whole run.  Before the
 * first call, a percentage is that of the work that progress_show names. */
void progress_span(double from, double to);

/* Wipe the line before a message is printed; it comes back by itself. */
void progress_wipe(void);

/* `on` true: hide the line, because another program writes to the terminal; false: show it again. */
void progress_pause(bool on);

/* Wipe the line for good, before the table is printed or at exit. */
void progress_end(void);

/* Wipe the line inside a signal handler, before a last message. */
void progress_wipe_in_handler(void);
